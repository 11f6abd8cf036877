"""Keep the output of the tutorial, the how-to pages and the README in their Markdown: python3 dev.py docs --write.

Each block that prints is followed by `{output}`, a block that holds what was printed. In the README a block of text
follows a comment that names the command: <!-- output: rankscope ... -->.

python docs/write_outputs.py [PAGE ...]   write, all pages or some
python docs/write_outputs.py --check ...  fail where a page is stale
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_ext"))

from running import ROOMS, Failure, command_output, keeps_output, python_output  # noqa: E402

_BLOCK = re.compile(r"^```\{(command|python|output)\}\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
_OPTION = re.compile(r":([\w-]+):[ ]?(.*)\n")
_COMMENT = re.compile(r"^<!-- output: (.+?) -->\n```text\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def pages() -> dict[str, Path]:
    """Pages that keep their output."""
    names = {path.relative_to(HERE).with_suffix("").as_posix(): path for path in sorted(HERE.rglob("*.md"))}
    return {"README": HERE.parent / "README.md"} | {name: path for name, path in names.items() if keeps_output(name)}


def written(text: str, page: str) -> str:
    """The page with the output of every block behind it."""
    text = _BLOCK.sub(lambda block: "" if block[1] == "output" else block[0], text)
    text = re.sub(r"\n{3,}", "\n\n", text)
    text = _BLOCK.sub(lambda block: _with_output(block, page), text)
    return _COMMENT.sub(lambda found: f"<!-- output: {found[1]} -->\n```text\n{_output(found[1], page)}\n```\n", text)


def _with_output(block: re.Match[str], page: str) -> str:
    content, options = block[2], {}
    while option := _OPTION.match(content):
        options[option[1]] = option[2].strip()
        content = content[option.end() :]
    run = command_output if block[1] == "command" else lambda *words: python_output(*words)[0]
    output = "\n".join(line.rstrip() for line in run(content.strip("\n"), page, options).splitlines())
    return block[0] + (f"\n```{{output}}\n{output}\n```\n" if output else "")


def _output(command: str, page: str) -> str:
    return "\n".join(line.rstrip() for line in command_output(command, page, {}).splitlines())


def main(words: list[str]) -> int:
    check, names = "--check" in words, [word for word in words if word != "--check"]
    stale = []
    for name, path in pages().items():
        if names and name not in names:
            continue
        old = path.read_text(encoding="utf-8")
        try:
            new = written(old, name)
        except Failure as failure:
            sys.exit(f"{path}: {failure}")
        if new != old:
            stale.append(name)
            if not check:
                path.write_text(new, encoding="utf-8")
    ROOMS.close()
    print(f"{'stale' if check else 'written'}: {', '.join(stale) or 'none'}")
    return bool(check and stale)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
