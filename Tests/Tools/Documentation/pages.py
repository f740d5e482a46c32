"""Writes a documentation archive as plain pages of HTML, which a browser opens without a server.

An archive's own pages need a web server and JavaScript. These contain the same text, one file for each page, with a style sheet and
no script.
"""
import json
import re
import shutil
from html import escape

STYLE = """
:root { color-scheme: light dark; --ink: #1d1d1f; --soft: #515154; --line: #d2d2d7; --ground: #fff; --tint: #f5f5f7; --link: #0060c0; --good: #0b6e4f }
@media (prefers-color-scheme: dark) {
:root { --ink: #f5f5f7; --soft: #b8b8bd; --line: #48484c; --ground: #1d1d1f; --tint: #2a2a2d; --link: #6cb2ff; --good: #4cc495 } }
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.55 -apple-system, "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif; overflow-wrap: break-word }
a { color: var(--link); text-decoration: none } a:hover { text-decoration: underline }
header { padding: .8rem 1.2rem; border-bottom: 1px solid var(--line); font-size: .9rem }
.columns { display: flex; max-width: 76rem; margin: 0 auto }
main { flex: 1; min-width: 0; max-width: 56rem; padding: 1rem 1.2rem 4rem }
nav { width: 17rem; flex: none; padding: 1.4rem .5rem 2rem 1.2rem; font-size: .9rem }
nav b { display: block; margin: 1rem 0 .2rem } nav b:first-child { margin-top: 0 } nav a { display: block; padding: .12rem 0 }
nav a.here { color: var(--ink); font-weight: 600 }
.kind { color: var(--soft); font-size: .9rem; margin: 0 } h1 { font-size: 1.9rem; line-height: 1.2; margin: .2rem 0 .6rem }
h2 { font-size: 1.35rem; margin: 2.2rem 0 .6rem } h3 { font-size: 1.1rem; margin: 1.6rem 0 .4rem }
.abstract { font-size: 1.1rem; color: var(--soft); margin-top: 0 }
code, pre { font-family: ui-monospace, "SF Mono", Menlo, "Liberation Mono", monospace }
code { font-size: .87em; background: var(--tint); padding: .1em .3em; border-radius: 4px }
pre { background: var(--tint); padding: .8rem 1rem; border-radius: 8px; overflow-x: auto; font-size: .84rem; line-height: 1.5 }
.declaration { border-left: 3px solid var(--good); white-space: pre-wrap } .terminal { white-space: pre-wrap; overflow-wrap: anywhere }
code.short { white-space: nowrap } h1.symbol { font-size: 1.5rem } dd p { margin: 0 }
table { border-collapse: collapse; width: 100%; font-size: .92rem }
th, td { text-align: left; vertical-align: top; padding: .45rem .7rem .45rem 0; border-bottom: 1px solid var(--line); min-width: 6rem; overflow-wrap: anywhere }
th { color: var(--soft); font-weight: 600 }
aside { border-left: 3px solid var(--link); background: var(--tint); padding: .5rem 1rem; border-radius: 0 8px 8px 0; margin: 1rem 0 }
aside b { display: block } li p { margin: .3rem 0 } aside p { margin: .3rem 0 } img { max-width: 100%; height: auto; width: 27.5rem; display: block; margin: 1.2rem 0 }
dt { margin-top: .6rem } dd { margin: .1rem 0 0 1.2rem; color: var(--soft) }
@media (max-width: 900px) {
.columns { flex-direction: column } main { padding-bottom: 1rem }
h1.symbol { font-size: 1.2rem }
.wide tr:first-child { display: none } .wide td { display: block; border: 0; padding: .15rem 0 } .wide tr { display: block; border-bottom: 1px solid var(--line); padding: .5rem 0 }
.wide td:not(:first-child)::before { content: attr(data-title) ": "; color: var(--soft) }
nav { order: 2; width: auto; border-top: 1px solid var(--line) } nav a { padding: .3rem 0 } pre { font-size: .78rem } h1 { font-size: 1.55rem } }
"""


class Pages:
    """Renders the pages of one archive."""

    def __init__(self, archive, modules):
        self.archive, self.modules, self.documents = archive, modules, {}
        for path in sorted((archive / "data/documentation").rglob("*.json")):
            address = "/documentation/" + str(path.relative_to(archive / "data/documentation"))[:-5]
            self.documents[address] = json.loads(path.read_text())
        self.names = {address: self.name(address) for address in self.documents}
        if len(set(self.names.values())) != len(self.names):
            raise SystemExit("two pages have the same file name")
        self.here, self.references = "", {}

    @staticmethod
    def name(address):
        """Returns the name of a page's file: all pages are in one folder."""
        words = address.removeprefix("/documentation").strip("/").lower().replace("/", "--").replace(":", ",")
        return re.sub(r"[^a-z0-9_.,()-]", "-", words or "documentation") + ".html"

    def link(self, identifier, code=None):
        """Returns a link to a page, or only its title if the page does not exist."""
        reference = self.references.get(identifier, {})
        title = escape(reference.get("title", identifier.rsplit("/", 1)[-1]))
        if reference.get("kind") == "symbol" if code is None else code:
            title = f"<code>{title}</code>"
        address, _, anchor = reference.get("url", "").partition("#")
        if address.startswith("http"):
            return f'<a href="{escape(reference["url"])}">{title}</a>'
        name = self.names.get(address.lower())
        return f'<a href="{name}{"#" + anchor if anchor else ""}">{title}</a>' if name else title

    def inline(self, items):
        """Renders text inside a paragraph."""
        out = ""
        for item in items:
            kind = item["type"]
            if kind == "text":
                out += escape(item["text"])
            elif kind == "codeVoice":
                short = ' class="short"' if len(item["code"]) <= 24 else ""
                out += f"<code{short}>{escape(item['code'])}</code>"
            elif kind in ("emphasis", "strong"):
                tag = "em" if kind == "emphasis" else "strong"
                out += f"<{tag}>{self.inline(item['inlineContent'])}</{tag}>"
            elif kind == "reference":
                out += self.link(item["identifier"])
            elif kind == "image":
                image = self.references[item["identifier"]]
                source = image["variants"][0]["url"].rsplit("/", 1)[-1]
                out += f'<img src="images/{source}" alt="{escape(image.get("alt") or "")}">'
            else:
                raise SystemExit(f"{self.here}: text of the unknown kind {kind}")
        return out

    def blocks(self, items):
        """Renders paragraphs, lists, tables, code and notes."""
        out = ""
        for item in items:
            kind = item["type"]
            if kind == "heading":
                out += f'<h{item["level"]} id="{escape(item["anchor"])}">{escape(item["text"])}</h{item["level"]}>\n'
            elif kind == "paragraph":
                out += f"<p>{self.inline(item['inlineContent'])}</p>\n"
            elif kind == "codeListing":
                code = "\n".join(item["code"])
                kind = ' class="terminal"' if item.get("syntax") == "console" else ""
                out += f"<pre{kind}>{escape(code)}</pre>\n"
            elif kind in ("unorderedList", "orderedList"):
                tag = "ul" if kind == "unorderedList" else "ol"
                rows = "".join(f"<li>{self.blocks(row['content'])}</li>" for row in item["items"])
                out += f"<{tag}>{rows}</{tag}>\n"
            elif kind == "aside":
                out += f"<aside><b>{escape(item.get('name', item['style']))}</b>{self.blocks(item['content'])}</aside>\n"
            elif kind == "table":
                out += self.table(item["rows"])
            else:
                raise SystemExit(f"{self.here}: a block of the unknown kind {kind}")
        return out

    def table(self, rows):
        """Renders a table, whose first row has the titles; on a phone, each row of a wide one becomes a list."""
        texts = [["".join(self.inline(block["inlineContent"]) for block in cell) for cell in row] for row in rows]
        titles = [re.sub("<[^>]*>", "", title) for title in texts[0]]
        out = "<tr>" + "".join(f"<th>{title}</th>" for title in texts[0]) + "</tr>\n"
        for row in texts[1:]:
            out += "<tr>" + "".join(f'<td data-title="{title}">{text}</td>' for title, text in zip(titles, row)) + "</tr>\n"
        return f'<table{" class=wide" if len(titles) > 2 else ""}>{out}</table>\n'

    def section(self, section):
        """Renders a part of a symbol's or an article's page."""
        if section["kind"] == "content":
            return self.blocks(section["content"])
        if section["kind"] == "declarations":
            text = "".join(token["text"] for token in section["declarations"][0]["tokens"])
            return f'<pre class="declaration">{escape(text)}</pre>\n'
        if section["kind"] == "parameters":
            rows = "".join(f"<dt><code>{escape(row['name'])}</code></dt><dd>{self.blocks(row['content'])}</dd>"
                           for row in section["parameters"])
            return f"<h2>Parameters</h2><dl>{rows}</dl>\n"
        return ""

    def topics(self, document):
        """Renders the list of pages below a page."""
        out = ""
        for section in document.get("topicSections", []):
            out += f"<h2>{escape(section.get('title') or 'Topics')}</h2><dl>"
            for identifier in section["identifiers"]:
                abstract = self.inline(self.references.get(identifier, {}).get("abstract", []))
                out += f"<dt>{self.link(identifier)}</dt><dd>{abstract}</dd>"
            out += "</dl>\n"
        return out

    def navigation(self):
        """Renders the list of modules with their articles."""
        out = ""
        for module in self.modules:
            root = f"/documentation/{module.lower()}"
            out += f'<b><a href="{self.names[root]}">{module}</a></b>'
            document = self.documents[root]
            for section in document.get("topicSections", []):
                for identifier in section["identifiers"]:
                    reference = document["references"].get(identifier, {})
                    if reference.get("kind") == "article":
                        name = self.names[reference["url"].lower()]
                        here = ' class="here"' if name == self.names.get(self.here) else ""
                        out += f'<a href="{name}"{here}>{escape(reference["title"])}</a>'
        return out

    def page(self, address):
        """Renders one page."""
        document = self.documents[address]
        self.here, self.references = address, document.get("references", {})
        metadata = document["metadata"]
        title = escape(metadata["title"])
        symbol = metadata.get("role") == "symbol"
        # Allow line breaks after each part of a long name.
        heading = re.sub(r"([(:])", r"\1<wbr>", title) if symbol else title
        path = [self.link(identifier, code=False) for identifier in (document.get("hierarchy", {}).get("paths") or [[]])[0]]
        kind = {"Framework": "Module"}.get(metadata.get("roleHeading", ""), metadata.get("roleHeading", ""))
        body = "".join(self.section(section) for section in document.get("primaryContentSections", []))
        trail = " › ".join(['<a href="index.html">Documentation</a>', *path, title])
        return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><link rel="stylesheet" href="style.css"></head>
<body><header>{trail}</header><div class="columns"><nav>{self.navigation()}</nav><main>
<p class="kind">{escape(kind)}</p><h1{" class=symbol" if symbol else ""}>{heading}</h1>
<p class="abstract">{self.inline(document.get("abstract", []))}</p>
{body}{self.topics(document)}</main></div></body></html>
"""


def write(archive, folder, modules):
    """Writes the pages of an archive into a folder; returns their number."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "images").mkdir(parents=True)
    (folder / "style.css").write_text(STYLE.strip() + "\n")
    for image in (archive / "images").rglob("*.*"):
        shutil.copy(image, folder / "images")
    pages = Pages(archive, modules)
    for address, name in pages.names.items():
        (folder / name).write_text(pages.page(address))
    shutil.copy(folder / pages.names[f"/documentation/{modules[0].lower()}"], folder / "index.html")
    return len(pages.names)
