#!/usr/bin/env python3
"""Builds one documentation archive for all public modules, and pages of HTML from it and the repository's documents.

usage: archive.py [--build FOLDER] [--output FOLDER] [--html]
       archive.py --modules     prints the names of the modules

--build is the folder with the modules, built with the trait PostgreSQL, and --html writes pages for a browser. Fails if docc warns,
for example about a broken link, or if a public symbol lacks documentation.
"""
import argparse
import json
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

import pages
from documents import ROOT, documents

# The modules that users import: the package's libraries except the one that tests load, each after those to which it links.
MODULES = re.findall(r'\.library\(name: "(\w+)", targets', (ROOT / "Package.swift").read_text())
# The modules that ApplePayToken reexports: users see their symbols as part of ApplePayToken.
EXPORTED = re.findall(r"@_exported public import (\w+)", (ROOT / "Sources/Core/ApplePayToken/Exports.swift").read_text())
TARGET = f"{platform.machine()}-unknown-linux-gnu"


def run(command):
    """Runs a command and ends with its output if it fails."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{command[0]} {command[1]} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def symbol_graph(module, build, folder):
    """Writes the symbol graph of a module, and returns its path."""
    maps = [*ROOT.glob("Sources/**/module.modulemap"), *ROOT.glob("Tests/**/module.modulemap"), *build.glob("C*.build/module.modulemap")]
    libpq = subprocess.run(["pkg-config", "--cflags", "libpq"], capture_output=True, text=True).stdout.split()
    run(["swift-symbolgraph-extract", "-module-name", module, "-target", TARGET, "-I", build / "Modules",
         *[part for path in maps for part in ("-Xcc", f"-fmodule-map-file={path}")],
         *[part for flag in libpq for part in ("-Xcc", flag)],
         "-minimum-access-level", "public", "-skip-synthesized-members",
         f"-experimental-allowed-reexported-modules={','.join(EXPORTED)}", "-output-dir", folder])
    return folder / f"{module}.symbols.json"


def top_level(graph):
    """Returns the names of the types and functions that a symbol graph declares at the top level."""
    return {symbol["pathComponents"][0] for symbol in graph["symbols"] if len(symbol["pathComponents"]) == 1}


def linked(text, own, others):
    """Returns a text whose links to symbols of other modules begin with the module's name, as docc requires."""
    def link(match):
        name = re.split(r"[/(]", match[1])[0]
        if name in own or name not in others:
            return match[0]
        return f"``/{others[name]}/{match[1]}``"
    return re.sub(r"``([^`\n/][^`\n]*)``", link, text)


def converted(module, build, folder, names):
    """Converts a module's documentation into an archive; `names` maps the symbols of the modules before it to their modules."""
    graphs = folder / f"{module}.graphs"
    graphs.mkdir()
    path = symbol_graph(module, build, graphs)
    graph = json.loads(path.read_text())
    own = top_level(graph)
    for symbol in graph["symbols"]:
        comment = symbol.get("docComment", {})
        # docc omits comments from other modules; users, however, see these modules as part of ApplePayToken.
        if comment.get("module") in EXPORTED:
            comment["module"] = module
        for line in comment.get("lines", []):
            line["text"] = linked(line["text"], own, names)
    path.write_text(json.dumps(graph))
    catalog = folder / f"{module}.docc"
    articles = [path for parent in ["Sources", "Tests"] for path in ROOT.glob(f"{parent}/*/{module}/Docs.docc")]
    if not articles:
        sys.exit(f"{module}: there is no {module}/Docs.docc with {module}.md")
    shutil.copytree(articles[0], catalog)
    for article in catalog.rglob("*.md"):
        article.write_text(linked(article.read_text(), own, names))
    archive = folder / f"{module}.doccarchive"
    run(["docc", "convert", catalog, "--fallback-display-name", module, "--fallback-bundle-identifier", module,
         "--additional-symbol-graph-dir", graphs, "--enable-experimental-external-link-support", "--warnings-as-errors",
         *[part for other in sorted(set(names.values())) for part in ("--dependency", folder / f"{other}.doccarchive")],
         "--experimental-documentation-coverage", "--coverage-summary-level", "none", "--output-path", archive])
    names.update({name: module for name in own})
    return archive


def repository(folder):
    """Converts the repository's own documents, such as README.md, into an archive.

    Returns the archive, and the file of each page by its address.
    """
    catalog = folder / "Repository.docc"
    (catalog / "Resources").mkdir(parents=True)
    files = {}

    def image(match):
        file = (ROOT / document).parent / match[2]
        name = str(file.relative_to(ROOT)).replace("/", "-")
        shutil.copy(file, catalog / "Resources" / name)
        return f"![{match[1]}]({name})"

    for document in documents():
        if ".docc/" in document:
            continue
        name = document.removesuffix(".md").replace("/", "-")
        text = re.sub(r"!\[([^\]]*)\]\(([^)\s]+)\)", image, (ROOT / document).read_text())
        if document == "README.md":
            text = text.replace("\n", "\n\n@Metadata {\n  @TechnologyRoot\n}\n", 1)
        (catalog / f"{name}.md").write_text(text)
        files[pages.ROOT_PAGE if document == "README.md" else f"/documentation/repository/{name.lower()}"] = document
    archive = folder / "Repository.doccarchive"
    run(["docc", "convert", catalog, "--fallback-display-name", "Repository", "--fallback-bundle-identifier", "Repository",
         "--warnings-as-errors", "--output-path", archive])
    return archive, files


def coverage(archive):
    """Returns how many symbols docc's coverage report lists, and those that lack an abstract.

    The module's page is covered by its article, and docc generates the pages for conformances and for what a type gets from
    the standard library.
    """
    report = json.loads((archive / "documentation-coverage.json").read_text())
    symbols = [entry for entry in report if entry["kind"]["isSymbol"] and not entry["kind"]["id"].endswith("module")]
    generated = re.compile(r"/(init\(rawValue:\)|init\(from:\)|[\w-]+-Implementations)$")
    missing = [entry["referencePath"] for entry in symbols
               if not entry["hasAbstract"] and not generated.search(entry["referencePath"])]
    return len(symbols), missing


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=".build-postgresql/debug")
    parser.add_argument("--output", default=".build/documentation")
    parser.add_argument("--html", action="store_true")
    parser.add_argument("--modules", action="store_true")
    options = parser.parse_args()
    if options.modules:
        print(*MODULES)
        return 0
    build, output = ROOT / options.build, ROOT / options.output
    names, archives, total, missing = {}, [], 0, []
    with tempfile.TemporaryDirectory() as folder:
        for module in MODULES:
            archives.append(converted(module, build, pathlib.Path(folder), names))
            count, without = coverage(archives[-1])
            total, missing = total + count, missing + without
        if missing:
            sys.exit("public symbols without documentation:\n" + "\n".join(missing))
        shutil.rmtree(output, ignore_errors=True)
        output.mkdir(parents=True)
        combined = output / "ApplePayToken.doccarchive"
        run(["docc", "merge", *archives, "--synthesized-landing-page-name", "ApplePayToken", "--output-path", combined])
        print(f"{combined.relative_to(ROOT)}: {len(MODULES)} modules, {total} symbols, all documented")
        if options.html:
            more, files = repository(pathlib.Path(folder))
            count = pages.write([combined, more], output / "html", MODULES, files)
            print(f"{output.relative_to(ROOT)}/html/index.html: {count} pages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
