"""Reads the Markdown documents of the repository: their headings, links and code blocks.

An HTML comment directly above a code block is its directive: it states how examples.py checks the block. CONTRIBUTING.md lists
the directives.
"""
import pathlib
import re
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[3]
FENCE = re.compile(r"^( *)(```+)\s*([\w-]*)\s*$")


@dataclass
class Block:
    """A fenced block of code."""

    document: str  # path from the root
    line: int  # of the first line of code, counted from 1
    language: str
    text: str  # without the fence's indentation
    directive: str  # the content of the HTML comment above the block, or nothing
    section: str  # the prose between the last heading or block and this block

    @property
    def place(self):
        return f"{self.document}:{self.line}"

    @property
    def shown_file(self):
        """The path from the root of the file that the block shows; nothing if it shows no file."""
        return self.directive.removeprefix("the file ") if self.directive.startswith("the file ") else ""


def documents():
    """Returns the paths of all documents, from the root."""
    found = list(ROOT.glob("*.md"))
    for folder in ["Benchmarks", "Sources", "TestVectors", "Tests"]:
        found += (ROOT / folder).rglob("*.md")
    return sorted(str(path.relative_to(ROOT)) for path in found)


def blocks(document):
    """Returns the code blocks of a document, in order."""
    lines = (ROOT / document).read_text().splitlines()
    found, prose, directive, number = [], [], "", 0
    while number < len(lines):
        line = lines[number]
        fence = FENCE.match(line)
        if fence:
            indentation, marks, language = fence.groups()
            end = next((i for i in range(number + 1, len(lines)) if lines[i].strip() == marks), None)
            if end is None:
                raise SystemExit(f"{document}:{number + 1}: the block has no end")
            code = [code_line.removeprefix(indentation) for code_line in lines[number + 1:end]]
            found.append(Block(document, number + 2, language, "\n".join(code) + "\n", directive, "\n".join(prose)))
            prose, directive, number = [], "", end + 1
            continue
        if line.strip().startswith("<!--"):
            end = next((i for i in range(number, len(lines)) if "-->" in lines[i]), None)
            if end is None:
                raise SystemExit(f"{document}:{number + 1}: the comment has no end")
            comment = "\n".join(lines[number:end + 1]).strip()
            directive = comment.removeprefix("<!--").removesuffix("-->").strip()
            number = end + 1
            continue
        if line.startswith("#"):
            prose = []
        if line.strip():
            directive = ""
        prose.append(line)
        number += 1
    return found
