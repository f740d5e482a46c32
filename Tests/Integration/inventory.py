#!/usr/bin/env python3
"""Compares the files about packages (Packaging/inventory.py) with the packages, and validates them with other projects' tools.

    inventory.py [DIST [TOOLS]]

DIST is the folder that make dist wrote, by default dist, on a machine with this toolchain and these packages of Debian. pip installs
cyclonedx-python-lib and spdx-tools in the folder TOOLS, by default .build-sbom, by the hashes of inventory-requirements.txt.
Needs Python 3 with pip, dpkg and binutils, and what the programs in the packages depend on.
"""
import collections
import copy
import functools
import hashlib
import json
import os
import pathlib
import platform
import re
import shutil
import socket
import subprocess
import sys
import tempfile

PROJECT = pathlib.Path(__file__).resolve().parents[2]
SWIFT = shutil.which(os.environ.get("SWIFT", "swift"))
REQUIREMENTS = pathlib.Path(__file__).with_name("inventory-requirements.txt")
# The SubjectPublicKeyInfo of Apple Root CA - G3, of which TrustAnchorTests compare the bytes.
ANCHOR = "9b219d0fbff36a5fb32090571906bceea68617c833a3f61b81e962a8e64db8af"

# Libraries that leave no strings of their own in a program: C functions, and names of the C library for Swift.
WITHOUT_STRINGS = {"BlocksRuntime", "_FoundationCShims", "swiftGlibc"}


def install(folder):
    """Installs the tools, unless FOLDER contains the same releases, and lets this process import them."""
    stamp = folder / "requirements"
    if not stamp.exists() or stamp.read_text() != REQUIREMENTS.read_text():
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade",
                        "--target", str(folder), "--require-hashes", "--no-deps", "--only-binary", ":all:",
                        "--requirement", str(REQUIREMENTS)], check=True)
        stamp.write_text(REQUIREMENTS.read_text())
    sys.path.insert(0, str(folder))


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Package:
    """A .deb and what can be read from it and from its tar archive without the files about it."""

    def __init__(self, deb, work):
        self.deb = deb
        self.name, self.version, depends = (
            output("dpkg-deb", "--field", deb, field).decode().strip() for field in ["Package", "Version", "Depends"])
        self.depends = {part.split(" ")[0]: part.partition("(")[2].removesuffix(")") for part in depends.split(", ")}
        self.archive, = deb.parent.glob(f"{self.name}-{self.version}-linux-*.tar.gz")
        folder, unpacked = work / deb.stem, work / self.archive.name
        output("dpkg-deb", "--extract", deb, folder)
        unpacked.mkdir()
        output("tar", "-C", unpacked, "--strip-components", "1", "-xzf", self.archive)
        self.files = {path.name: path for path in (folder / "usr/bin").iterdir()}
        self.programs = {name: sha256(path) for name, path in self.files.items()}
        assert self.programs == {path.name: sha256(path) for path in (unpacked / "bin").iterdir()}, "archive and .deb differ"

    def text(self, ending):
        return self.deb.with_suffix(ending).read_text()


def cyclonedx_faults(package, document):
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator
    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(document))
    if error:
        return [f"CycloneDX: {str(error).splitlines()[0]}"]

    def digest(entry):
        return entry["hashes"][0]["content"]
    kinds = {}
    for component in document["components"]:
        kinds.setdefault(component["bom-ref"].split("/")[0], {})[component["name"]] = component
    references = {component["bom-ref"] for component in document["components"]} | {package.name}
    used = {reference for entry in document["dependencies"] for reference in [entry["ref"], *entry["dependsOn"]]}
    properties = {name: {entry["name"]: entry["value"] for entry in component["properties"]}
                  for name, component in kinds["debian"].items()}
    described = document["metadata"]["component"]
    return compared({
        "files": ({entry["url"]: digest(entry) for entry in described["externalReferences"]},
                  {file.name: sha256(file) for file in [package.deb, package.archive]}),
        "version": (described["version"], package.version),
        "programs": ({name: digest(component) for name, component in kinds["program"].items()}, package.programs),
        "packages of Debian": ({name: entry.get("paytoken:required-version", "") for name, entry in properties.items()}, package.depends),
        "not included": ({entry["paytoken:included"] for entry in properties.values()}, {"false"}),
        "references": (used - references, set()),
    }) + content_faults(package, {name: digest(component) for name, component in kinds["static"].items()},
                        [digest(component) for component in kinds.get("anchor", {}).values()])


def spdx_faults(package, document, work):
    from spdx_tools.spdx.parser.error import SPDXParsingError
    from spdx_tools.spdx.parser.parse_anything import parse_file
    from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document
    path = work / "document.spdx.json"
    path.write_text(json.dumps(document))
    try:
        messages = [message.validation_message for message in validate_full_spdx_document(parse_file(str(path)), "SPDX-2.3")]
    except SPDXParsingError as error:
        messages = error.get_messages()
    if messages:
        return [f"SPDX: {message}" for message in messages]

    def digest(entry):
        return entry["checksums"][0]["checksumValue"]
    kinds = {}
    for entry in document["packages"]:
        kinds.setdefault(entry["SPDXID"].split("-")[1], {})[entry.get("packageFileName", entry["name"])] = entry
    required = {name: entry["comment"].partition("Required version: ")[2].removesuffix(".") for name, entry in kinds["debian"].items()}
    return compared({
        "files": ({name: digest(entry) for name, entry in kinds["file"].items()},
                  {file.name: sha256(file) for file in [package.deb, package.archive]}),
        "version": ({entry["versionInfo"] for entry in kinds["file"].values()}, {package.version}),
        "programs": ({name.removeprefix("bin/"): digest(entry) for name, entry in kinds["program"].items()}, package.programs),
        "packages of Debian": (required, package.depends),
    }) + content_faults(package, {entry["name"]: digest(entry) for entry in kinds["static"].values()},
                        [digest(entry) for entry in kinds.get("anchor", {}).values()])


def strings(path):
    """Returns the strings of at least 24 bytes in a program or in a static library, without names of symbols."""
    return set(output("strings", "--data", "--bytes=24", path).split(b"\n"))


@functools.cache
def owners(folder):
    """Returns the library that alone contains a string, or None, for all strings in the static libraries of a folder."""
    found = {}
    for path in sorted(folder.glob("*.a")):
        for string in strings(path):
            found[string] = path.stem.removeprefix("lib") if string not in found else None
    return found


def content_faults(package, libraries, anchors):
    """Compares static libraries and anchors with the toolchain and with the bytes of the programs."""
    target = json.loads(output(SWIFT, "-print-target-info", "-static-stdlib"))
    folder = pathlib.Path(target["paths"]["runtimeLibraryPaths"][0])
    found = collections.Counter(owners(folder).get(string) for string in set().union(*map(strings, package.files.values())))
    # By chance, at most three strings of a library that is not linked, such as a status of HTTP, are in a program.
    linked = {name for name, count in found.items() if name and count >= 5}
    return compared({
        "static libraries": (libraries, {name: sha256(folder / f"lib{name}.a") for name in libraries}),
        "libraries by their strings": (set(libraries) - WITHOUT_STRINGS, linked),
        "anchor": (anchors, [ANCHOR] if any(b"Apple Certification Authority" in path.read_bytes() for path in package.files.values()) else []),
    })


def installed(names):
    """Returns the package URLs of packages of Debian that are installed here."""
    lines = output("dpkg-query", "--show", "--showformat", "${Package}@${Version}?arch=${Architecture}\n", *set(names)).decode().split()
    return sorted(f"pkg:deb/{platform.freedesktop_os_release()['ID']}/{line}" for line in lines)


def provenance_faults(package, document):
    """Checks the members that in-toto Statement v1 and SLSA's provenance v1 require, and compares what can be compared."""
    names = [file.name for file in [package.deb, package.archive, package.deb.with_suffix(".cdx.json"), package.deb.with_suffix(".spdx.json")]]
    build = document["predicate"]["buildDefinition"]
    source, toolchain, *packages = build["resolvedDependencies"]
    names_of_packages = [entry["uri"].split("/")[-1].split("@")[0] for entry in packages]
    commit = build["externalParameters"]["commit"]
    printed = output(package.files["paytoken" if "paytoken" in package.files else "paytoken-testing"], "--version").decode()
    uris = [build["buildType"], document["predicate"]["runDetails"]["builder"]["id"], *(entry["uri"] for entry in packages)]
    return compared({
        "type": (document["_type"], "https://in-toto.io/Statement/v1"),
        "predicate": (document["predicateType"], "https://slsa.dev/provenance/v1"),
        "members": ((set(document), set(document["predicate"]), set(build)),
                    ({"_type", "subject", "predicateType", "predicate"}, {"buildDefinition", "runDetails"},
                     {"buildType", "externalParameters", "internalParameters", "resolvedDependencies"})),
        "subjects": ({entry["name"]: entry["digest"] for entry in document["subject"]},
                     {name: {"sha256": sha256(package.deb.with_name(name))} for name in names}),
        "commit": (source["digest"], {"gitCommit": commit}),
        "commit's form": (bool(re.fullmatch("[0-9a-f]{40}", commit)), True),
        "commit of the program": (commit[:12] in printed, True),
        # The program does not know of files that git does not know.
        "changed files": (build["externalParameters"]["filesDifferFromCommit"], True) if "-dirty" in printed else (0, 0),
        "traits": (build["externalParameters"]["traits"],
                   ["SQLite", "PostgreSQL"] if "libpq5" in package.depends else ["SQLite"]) if package.name != "paytoken-testing" else (0, 0),
        "toolchain": (toolchain["digest"], {"sha256": sha256(pathlib.Path(SWIFT).resolve().with_name("swift-frontend"))}),
        "URIs": ([uri for uri in uris if not re.fullmatch(r"[a-z]+:[!-~]+", uri)], []),
        "packages of the build": ([entry["uri"] for entry in packages], installed(names_of_packages)),
        "headers and tools": ({"libssl-dev", "libsqlite3-dev", "libc6-dev", "binutils", "dpkg-dev",
                               *(["libpq-dev"] if "PostgreSQL" in build["externalParameters"]["traits"] else [])} - set(names_of_packages), set()),
    })


def compared(pairs):
    return [f"{name}: {stated}, not {actual}" for name, (stated, actual) in pairs.items() if stated != actual]


def replaced(document, old, new):
    """Returns a copy of a document with another text in place of each occurrence of one."""
    return json.loads(json.dumps(document).replace(old, new))


def without(document, *path):
    """Returns a copy of a document without a member."""
    document = copy.deepcopy(document)
    parent = document
    for name in path[:-1]:
        parent = parent[name]
    del parent[path[-1]]
    return document


def main():
    dist = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else PROJECT / "dist").resolve()
    install(pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else PROJECT / ".build-sbom").resolve())
    debs = sorted(dist.glob("*.deb"))
    assert debs, f"{dist} contains no packages: run make dist"
    faults = []
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        for deb in debs:
            package = Package(deb, work)
            checks = {".cdx.json": lambda document: cyclonedx_faults(package, document),
                      ".spdx.json": lambda document: spdx_faults(package, document, work),
                      ".provenance.json": lambda document: provenance_faults(package, document)}
            digest = next(iter(package.programs.values()))
            for ending, check in checks.items():
                text = package.text(ending)
                document = json.loads(text)
                faults += [f"{deb.stem}{ending}: {fault}" for fault in check(document)]
                secrets = [str(PROJECT), os.path.expanduser("~") + "/", *([socket.gethostname()] if len(socket.gethostname()) > 3 else [])]
                faults += [f"{deb.stem}{ending} contains {secret}" for secret in secrets if secret in text]
                # Each check finds a changed digest, a changed version and a missing member.
                known = sha256(package.archive) if ending == ".provenance.json" else digest
                altered = [replaced(document, known, known[::-1])]
                if ending == ".provenance.json":
                    toolchain = document["predicate"]["buildDefinition"]["resolvedDependencies"][1]["digest"]["sha256"]
                    altered += [replaced(document, toolchain, toolchain[::-1]), replaced(document, "/libssl-dev@", "/libssl-dev@0")]
                else:
                    altered += [replaced(document, ">= ", ">= 0"), replaced(document, "swiftCore", "swiftGlibc2"),
                                without(document, *(("bomFormat",) if ending == ".cdx.json" else ("creationInfo", "created")))]
                for number, other in enumerate(altered):
                    assert other != document, f"{deb.stem}{ending}: change {number} changes nothing"
                    if not check_fails(check, other):
                        faults.append(f"{deb.stem}{ending}: change {number} is not noticed")
            print(f"inventory.py: {deb.name}: {', '.join(sorted(package.programs))}")
    if faults:
        sys.exit("\n".join(faults))
    print("inventory.py: done")


def check_fails(check, document):
    """Whether a check finds a fault in an altered document; a file that a changed name does not lead to is one."""
    try:
        return bool(check(document))
    except FileNotFoundError:
        return True


main()
