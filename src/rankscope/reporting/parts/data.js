// What the page holds: small facts as JSON, large arrays deflated in base64, unpacked when first asked for.

export const facts = JSON.parse(document.getElementById("facts").textContent);
export const canUnpack = "DecompressionStream" in window;
const unpacked = new Map();

/** Bytes of a block; the same promise for every caller. */
export function block(name) {
  if (!unpacked.has(name)) unpacked.set(name, unpack(document.getElementById(`block-${name}`).textContent));
  return unpacked.get(name);
}

/** A block of JSON. */
export async function json(name) {
  return JSON.parse(new TextDecoder().decode(await block(name)));
}

/** A block of numbers, which was packed as all first bytes, all second bytes and so on. */
export async function numbers(name, Type) {
  const planes = await block(name);
  const width = Type.BYTES_PER_ELEMENT;
  if (width === 1) return new Type(planes.buffer);
  const count = planes.length / width;
  const bytes = new Uint8Array(planes.length);
  for (let plane = 0; plane < width; plane++) {
    for (let i = 0, from = plane * count; i < count; i++) bytes[i * width + plane] = planes[from + i];
  }
  return new Type(bytes.buffer);
}

async function unpack(text) {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
