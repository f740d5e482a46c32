"""Writes documentation archives as plain pages of HTML, which a browser opens without a server.

An archive's own pages need a web server and JavaScript. These contain the same text, one file for each page. The script in the
folder Site adds a search and copy buttons.
"""
import json
import os
import pathlib
import re
import shutil
from html import escape, unescape

from documents import ROOT

# The address of README.md, whose page is the first.
ROOT_PAGE = "/documentation/readme"
SITE = pathlib.Path(__file__).parent / "Site"


class Pages:
    """Renders the pages of archives."""

    def __init__(self, archives, modules, files):
        """Reads archives; `files` maps the addresses of the repository's own documents to their files."""
        self.modules, self.files, self.documents = modules, files, {}
        for archive in archives:
            for path in sorted((archive / "data/documentation").rglob("*.json")):
                address = "/documentation/" + str(path.relative_to(archive / "data/documentation"))[:-5]
                self.documents[address] = json.loads(path.read_text())
        self.names = {address: self.name(address) for address in self.documents}
        if len(set(self.names.values())) != len(self.names):
            raise SystemExit("two pages have the same file name")
        self.here, self.references, self.copied, self.index = "", {}, set(), {}

    def name(self, address):
        """Returns the name of a page's file: all pages are in one folder."""
        if address == ROOT_PAGE:
            return "index.html"
        words = address.removeprefix("/documentation").strip("/").lower().replace("/", "--").replace(":", ",")
        return re.sub(r"[^a-z0-9_.,()-]", "-", words or "documentation") + ".html"

    def target(self, url):
        """Returns what to write for a link's address; nothing if it has no page."""
        if url.startswith("http"):
            return url
        address, _, anchor = url.partition("#")
        if self.here in self.files and not address.startswith("/"):
            # The link of a document to a file of the repository, or to a heading of its own.
            file = os.path.normpath(os.path.join(os.path.dirname(self.files[self.here]), address)) if address else self.files[self.here]
            article = re.search(r"/(\w+)/Docs\.docc/(\w+)\.md$", file)
            if article:
                module, name = article.groups()
                address = f"/documentation/{module}" + ("" if name == module else f"/{name}")
            else:
                address = next((page for page, path in self.files.items() if path == file), "")
                if not address:
                    self.copied.add(file)
                    return file.replace("/", "-") + ".txt"
        name = self.names.get(address.lower())
        return name and name + (f"#{anchor.lower()}" if anchor else "")

    def link(self, identifier, code=None):
        """Returns a link to a page, or only its title if the page does not exist."""
        reference = self.references.get(identifier, {})
        title = escape(reference.get("title", identifier.rsplit("/", 1)[-1]))
        if reference.get("type") == "link":
            title = self.inline(reference["titleInlineContent"])
        if reference.get("kind") == "symbol" if code is None else code:
            title = f"<code>{title}</code>"
        target = self.target(reference.get("url", ""))
        return f'<a href="{escape(target)}">{title}</a>' if target else title

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
                out += f'<h{item["level"]} id="{escape(item["anchor"].lower())}">{escape(item["text"])}</h{item["level"]}>\n'
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
            title = section.get("title") or "Topics"
            out += f'<h2 id="topic-{escape(section["anchor"].lower())}">{escape(title)}</h2><dl>'
            for identifier in section["identifiers"]:
                abstract = self.inline(self.references.get(identifier, {}).get("abstract", []))
                out += f"<dt>{self.link(identifier)}</dt><dd>{abstract}</dd>"
            out += "</dl>\n"
        return out

    def navigation(self):
        """Renders the list of the repository's documents, and of the modules with their articles."""
        here = self.names.get(self.here)
        out = "<b>Documents</b>"
        for address in sorted(self.files, key=lambda address: (self.files[address].count("/"), address != ROOT_PAGE, address)):
            out += self.entry(self.names[address], escape(self.documents[address]["metadata"]["title"]), here)
        for module in self.modules:
            root = f"/documentation/{module.lower()}"
            out += f'<b><a href="{self.names[root]}">{module}</a></b>'
            document = self.documents[root]
            for section in document.get("topicSections", []):
                for identifier in section["identifiers"]:
                    reference = document["references"].get(identifier, {})
                    if reference.get("kind") == "article":
                        out += self.entry(self.names[reference["url"].lower()], escape(reference["title"]), here)
        return out

    @staticmethod
    def entry(target, title, here=None, deeper=False):
        """Renders a link of a list; `here` is the page in which it is."""
        classes = " ".join(["here"] * (target == here) + ["deeper"] * deeper)
        return f'<a href="{target}" class="{classes}">{title}</a>' if classes else f'<a href="{target}">{title}</a>'

    @staticmethod
    def folding(name, title, content):
        """Renders a list that a label opens on small screens."""
        return (f'<div class="{name}"><input type="checkbox" class="fold" id="{name}"><label for="{name}">{title}</label>'
                f"<nav>{content}</nav></div>")

    def contents(self, body):
        """Renders the table of contents of a page with at least three headings."""
        headings = re.findall(r'<h([23]) id="([^"]*)">(.*?)</h', body)
        if len(headings) < 3:
            return ""
        entries = "".join(self.entry(f"#{anchor}", title, deeper=level == "3") for level, anchor, title in headings)
        return self.folding("contents", "On this page", f"<b>On this page</b>{entries}")

    def page(self, address):
        """Renders one page."""
        document = self.documents[address]
        self.here, self.references = address, document.get("references", {})
        metadata = document["metadata"]
        title = escape(metadata["title"])
        symbol = metadata.get("role") == "symbol"
        # Allow line breaks after each part of a long name.
        heading = re.sub(r"([(:])", r"\1<wbr>", title) if symbol else title
        parents = (document.get("hierarchy", {}).get("paths") or [[]])[0]
        kind = {"Framework": "Module"}.get(metadata.get("roleHeading", ""), metadata.get("roleHeading", "")) or "Article"
        body = "".join(self.section(section) for section in document.get("primaryContentSections", []))
        if address in self.files:
            # docc adds a heading before the text, and a list of all documents to the first.
            parents, body = [], body.removeprefix('<h2 id="overview">Overview</h2>\n')
        else:
            body += self.topics(document)
        self.note(metadata, kind, [self.references[parent]["title"] for parent in parents], body)
        home = [] if address == ROOT_PAGE else ['<a href="index.html">Documentation</a>']
        trail = " › ".join([*home, *(self.link(parent, code=False) for parent in parents), title])
        contents = self.contents(body)
        return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><link rel="stylesheet" href="style.css"></head>
<body><header><div class="trail">{trail}</div></header>
<div class="columns">{self.folding("menu", "Menu", self.navigation())}<main{" class=listed" if contents else ""}><div>
<p class="kind">{escape(self.files.get(address, kind))}</p><h1{" class=symbol" if symbol else ""}>{heading}</h1>
<p class="abstract">{self.inline(document.get("abstract", []))}</p></div>
{contents}<div>{body}</div></main></div><script src="script.js"></script></body></html>
"""

    def note(self, metadata, kind, parents, body):
        """Adds the page, and the headings of an article, to the index of the search."""
        page, title = self.names[self.here], metadata["title"]
        # The last parent is a type, or a page such as "Equatable Implementations".
        owner = next((parent for parent in reversed(parents[1:]) if " " not in parent), "")
        name = title if not owner or title.startswith(f"{owner}.") or kind == "Article" else f"{owner}.{title}"
        # Several modules have the page of a symbol that they reexport; the first is the module that users know it from.
        self.index.setdefault(metadata.get("externalID", page), [name, page, kind, parents[0] if parents else "ApplePayToken"])
        if kind == "Article":
            for anchor, heading in re.findall(r'<h[23] id="([^"]*)">(.*?)</h', body):
                self.index[f"{page}#{anchor}"] = [unescape(heading), f"{page}#{anchor}", "Heading", title]


def write(archives, folder, modules, files):
    """Writes the pages of archives into a folder; returns their number.

    `files` maps the addresses of the repository's own documents to their files; README.md becomes index.html.
    """
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "images").mkdir(parents=True)
    for asset in SITE.iterdir():
        shutil.copy(asset, folder)
    for archive in archives:
        for image in (archive / "images").rglob("*.*"):
            shutil.copy(image, folder / "images")
    pages = Pages(archives, modules, files)
    # The repository's documents come first, and then the modules in their order.
    order = {module.lower(): number for number, module in enumerate(modules)}
    for address in sorted(pages.names, key=lambda address: order.get(address.split("/")[2], -1)):
        (folder / pages.names[address]).write_text(pages.page(address))
    for file in pages.copied:
        shutil.copy(ROOT / file, folder / (file.replace("/", "-") + ".txt"))
    rows = ",\n".join(json.dumps(row, ensure_ascii=False) for row in pages.index.values())
    (folder / "search.js").write_text(f"const searchIndex = [\n{rows}\n];\n")
    return len(pages.names)
