// Files made in the page.

/** Offer a text as a file. */
export function save(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Columns and rows as comma-separated values. */
export function csv(header, rows) {
  const quoted = (value) => {
    const text = value === null || value === undefined || Number.isNaN(value) ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [header, ...rows].map((row) => row.map(quoted).join(",") + "\n").join("");
}

export const saveCsv = (name, text) => save(`${name}.csv`, text, "text/csv;charset=utf-8");
export const saveSvg = (name, text) => save(`${name}.svg`, text, "image/svg+xml;charset=utf-8");
