#!/usr/bin/env python3
"""Writes what is in packages, and what they were made from, next to them.

    inventory.py PROGRAMS DIST NAME...

DIST contains NAME_VERSION_ARCHITECTURE.deb and NAME-VERSION-linux-MACHINE.tar.gz for each NAME, one version of each. PROGRAMS is
the folder of the programs in them before they were stripped. The first NAME tells whether the ledger in PostgreSQL was built.
For each NAME three files are written:

    NAME_VERSION_ARCHITECTURE.cdx.json         the contents, in CycloneDX 1.6
    NAME_VERSION_ARCHITECTURE.spdx.json        the contents, in SPDX 2.3
    NAME_VERSION_ARCHITECTURE.provenance.json  the commit, the toolchain and the packages of Debian, as in-toto Statement v1 with
                                               the predicate https://slsa.dev/provenance/v1

SOURCE_DATE_EPOCH is the time in them. SWIFT is the compiler's driver, by default swift. PAYTOKEN_BUILDER is the URI of the machine
that builds, by default urn:applepaytoken:builder:local. The same packages, toolchain and Debian give the same bytes.
"""
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import uuid

PROJECT = pathlib.Path(__file__).resolve().parents[1]
SWIFT_LICENSE = "Apache-2.0 WITH Swift-exception"
APPLE = "Apple Inc. and the authors of the Swift project"

# The libraries of the toolchain that may be linked statically: the repository of each, and its license.
LIBRARIES = {
    "swiftCore": ("swift", f"{SWIFT_LICENSE} AND Apache-2.0 WITH LLVM-exception"),
    "swiftGlibc": ("swift", SWIFT_LICENSE),
    "swiftSynchronization": ("swift", SWIFT_LICENSE),
    "swift_Concurrency": ("swift", SWIFT_LICENSE),
    "swift_RegexParser": ("swift-experimental-string-processing", SWIFT_LICENSE),
    "swift_StringProcessing": ("swift-experimental-string-processing", SWIFT_LICENSE),
    "FoundationEssentials": ("swift-foundation", SWIFT_LICENSE),
    "_FoundationCShims": ("swift-foundation", f"{SWIFT_LICENSE} AND BSD-3-Clause"),
    "_FoundationCollections": ("swift-foundation", SWIFT_LICENSE),
    "_FoundationICU": ("swift-foundation-icu", f"{SWIFT_LICENSE} AND Unicode-3.0"),
    "BlocksRuntime": ("swift-corelibs-libdispatch", SWIFT_LICENSE),
    "dispatch": ("swift-corelibs-libdispatch", SWIFT_LICENSE),
    "swiftDispatch": ("swift-corelibs-libdispatch", SWIFT_LICENSE),
}

# The packages of Debian whose files or programs the bytes of a build depend on, besides libpq-dev for the ledger in PostgreSQL.
BUILD_PACKAGES = [
    "binutils", "dpkg", "dpkg-dev", "gzip", "libc6-dev", "libgcc-*-dev", "liblzma5", "libsqlite3-dev", "libssl-dev",
    "libstdc++-*-dev", "linux-libc-dev", "tar",
]


def output(*command):
    """Returns what a command prints; a command that fails ends this program."""
    done = subprocess.run(command, stdout=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(f"inventory.py: {' '.join(map(str, command))} ended with {done.returncode}")
    return done.stdout


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def read_one(folder, pattern):
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        sys.exit(f"inventory.py: {folder} has {len(found)} files {pattern}, not one; remove the others, and run make dist")
    return found[0]


class Toolchain:
    """The Swift toolchain, and its static libraries."""

    def __init__(self):
        information = json.loads(output(os.environ.get("SWIFT", "swift"), "-print-target-info", "-static-stdlib"))
        self.version = re.match(r"Swift version (\S+)", information["compilerVersion"])[1]
        self.tag = information["swiftCompilerTag"]
        self.folder = pathlib.Path(information["paths"]["runtimeLibraryPaths"][0])
        compiler = pathlib.Path(information["paths"]["runtimeResourcePath"]).parents[1] / "bin" / "swift-frontend"
        self.digest = sha256(compiler.read_bytes())

        # The library that alone defines a symbol, or None. Specializations of generic functions (the suffix Tg) are left out,
        # because each module that uses one may have it.
        self.owners = {}
        for library in sorted(self.folder.glob("*.a")):
            for name, kind in symbols(library):
                if kind in "BDRT" and not re.search(r"T[gG]\w{0,3}$", name):
                    self.owners[name] = library if self.owners.get(name, library) == library else None

    def libraries(self, program):
        """Returns the paths of the static libraries of which an unstripped program has functions or data."""
        return sorted({self.owners[name] for name, _ in symbols(program) if self.owners.get(name)})


def symbols(path):
    """Returns the names and kinds of the symbols that a program or a static library defines."""
    lines = output("nm", "--defined-only", "--format=posix", path).decode().splitlines()
    return [tuple(line.split(" ", 2)[:2]) for line in lines if line.count(" ") > 1]


def trust_anchor():
    """Returns the SubjectPublicKeyInfo of Apple's root, in DER."""
    source = (PROJECT / "Sources/Core/ApplePayTrust/TrustAnchor.swift").read_text()
    return bytes.fromhex("".join(re.findall(r"0x([0-9A-F]{2})", re.search(r"subjectPublicKeyInfo: \[\s([^\]]*)\]", source)[1])))


class Package:
    """A .deb, its tar archive, and the programs in them."""

    def __init__(self, name, dist, programs, toolchain):
        self.deb = read_one(dist, f"{name}_*.deb")
        self.name = name
        self.version, self.architecture, depends = (
            output("dpkg-deb", "--field", self.deb, field).decode().strip() for field in ["Version", "Architecture", "Depends"])
        self.archive = read_one(dist, f"{name}-{self.version}-linux-*.tar.gz")
        # The packages that apt installs, by their names: their required versions, or nothing.
        self.depends = {}
        for dependency in depends.split(", "):
            match = re.fullmatch(r"([a-z0-9.+-]+)(?: \(([^)]*)\))?", dependency)
            if not match:
                sys.exit(f"inventory.py: {self.deb.name}: unexpected dependency {dependency}")
            self.depends[match[1]] = match[2] or ""
        self.programs, self.libraries, self.has_anchor = {}, {}, {}
        for path in output("tar", "-tzf", self.archive).decode().splitlines():
            if "/bin/" not in path or path.endswith("/"):
                continue
            program = pathlib.Path(path).name
            content = output("tar", "-xzOf", self.archive, path)
            self.programs[program] = sha256(content)
            self.libraries[program] = toolchain.libraries(programs / program)
            self.has_anchor[program] = trust_anchor() in content

    def beside(self, ending):
        """Returns the path of a file about this package."""
        return self.deb.with_name(f"{self.name}_{self.version}_{self.architecture}{ending}")

    def static_libraries(self):
        """Returns the static libraries of all programs: name, path, repository and license."""
        found = []
        for path in sorted({path for paths in self.libraries.values() for path in paths}):
            name = path.stem.removeprefix("lib")
            if name not in LIBRARIES:
                sys.exit(f"inventory.py: {self.name} contains {path.name}, whose license is not in LIBRARIES")
            found.append((name, path, *LIBRARIES[name]))
        return found


def debian():
    """Returns the name of this system in package URLs, such as debian or ubuntu."""
    lines = pathlib.Path("/etc/os-release").read_text().splitlines()
    return next(line.split("=", 1)[1].strip('"') for line in lines if line.startswith("ID="))


def written(path, document):
    """Writes a document as JSON, with one order of its members."""
    path.write_text(json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n")
    return path


def identifier(document):
    """Returns a UUID that depends on a document's content alone."""
    return uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(document, sort_keys=True))


ANCHOR_NAME = "Apple Root CA - G3"
ANCHOR_TEXT = ("Distinguished name and public key of Apple's root certificate, which are compiled in; the SHA-256 is that of the "
               "SubjectPublicKeyInfo. The certificate itself is not included.")


def cyclonedx(package, toolchain, time):
    """Writes the contents of a package in CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/)."""
    def hashes(digest):
        return [{"alg": "SHA-256", "content": digest}]

    def licenses(expression):
        return [{"expression": expression}]

    components, dependencies = [], {package.name: []}
    for program, digest in package.programs.items():
        components.append({
            "type": "application", "bom-ref": f"program/{program}", "name": program, "version": package.version,
            "hashes": hashes(digest), "licenses": licenses("Apache-2.0"),
        })
        dependencies[package.name].append(f"program/{program}")
        dependencies[f"program/{program}"] = [f"static/{path.name}" for path in package.libraries[program]]
        if package.has_anchor[program]:
            dependencies[f"program/{program}"].append("anchor")
    for name, path, repository, license in package.static_libraries():
        components.append({
            "type": "library", "bom-ref": f"static/{path.name}", "name": name, "version": toolchain.version,
            "supplier": {"name": APPLE}, "hashes": hashes(sha256(path.read_bytes())), "licenses": licenses(license),
            "description": f"Linked statically from {path.name} of the Swift toolchain.",
            "purl": f"pkg:github/swiftlang/{repository}@{toolchain.tag}",
        })
    if any(package.has_anchor.values()):
        components.append({
            "type": "cryptographic-asset", "bom-ref": "anchor", "name": ANCHOR_NAME, "description": ANCHOR_TEXT,
            "supplier": {"name": "Apple Inc."}, "hashes": hashes(sha256(trust_anchor())),
            "cryptoProperties": {
                "assetType": "related-crypto-material",
                "relatedCryptoMaterialProperties": {"type": "public-key", "size": 384, "format": "SubjectPublicKeyInfo"},
            },
        })
    for name, version in package.depends.items():
        components.append({
            "type": "library", "bom-ref": f"debian/{name}", "name": name, "purl": f"pkg:deb/{debian()}/{name}",
            "description": "Not included: apt installs it.",
            "properties": [{"name": "paytoken:included", "value": "false"}]
            + ([{"name": "paytoken:required-version", "value": version}] if version else []),
        })
        dependencies[package.name].append(f"debian/{name}")
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "metadata": {
            "timestamp": time,
            "component": {
                "type": "application", "bom-ref": package.name, "name": package.name, "version": package.version,
                "licenses": licenses("Apache-2.0"),
                "externalReferences": [
                    {"type": "distribution", "url": file.name, "hashes": hashes(sha256(file.read_bytes()))}
                    for file in [package.deb, package.archive]
                ],
            },
        },
        "components": components,
        "dependencies": [{"ref": reference, "dependsOn": sorted(on)} for reference, on in sorted(dependencies.items())],
    }
    document["serialNumber"] = f"urn:uuid:{identifier(document)}"
    return written(package.beside(".cdx.json"), document)


def spdx(package, toolchain, time):
    """Writes the contents of a package in SPDX 2.3 (https://spdx.github.io/spdx-spec/v2.3/)."""
    packages, relationships = [], []

    def add(reference, name, purpose, **members):
        reference = f"SPDXRef-{re.sub('[^A-Za-z0-9.-]', '-', reference)}"
        digest = members.pop("sha256", None)
        packages.append({
            "SPDXID": reference, "name": name, "primaryPackagePurpose": purpose, "filesAnalyzed": False,
            "downloadLocation": "NOASSERTION", "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION",
            "copyrightText": "NOASSERTION", **({"checksums": [{"algorithm": "SHA256", "checksumValue": digest}]} if digest else {}),
            **members,
        })
        return reference

    def relate(element, kind, other):
        relationships.append({"spdxElementId": element, "relationshipType": kind, "relatedSpdxElement": other})

    def purl(locator):
        return [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}]

    ours = {"licenseDeclared": "Apache-2.0", "licenseConcluded": "Apache-2.0", "copyrightText": "the authors of ApplePayToken",
            "versionInfo": package.version}
    files = [add(f"file-{file.name}", package.name, "ARCHIVE", packageFileName=file.name, sha256=sha256(file.read_bytes()), **ours)
             for file in [package.deb, package.archive]]
    for file in files:
        relate("SPDXRef-DOCUMENT", "DESCRIBES", file)
    programs = {program: add(f"program-{program}", program, "APPLICATION", packageFileName=f"bin/{program}", sha256=digest, **ours)
                for program, digest in package.programs.items()}
    for program in programs.values():
        for file in files:
            relate(file, "CONTAINS", program)
    for name, path, repository, license in package.static_libraries():
        library = add(
            f"static-{path.name}", name, "LIBRARY", versionInfo=toolchain.version, sha256=sha256(path.read_bytes()),
            packageFileName=path.name, licenseDeclared=license, licenseConcluded=license, copyrightText=APPLE,
            supplier=f"Organization: {APPLE}", externalRefs=purl(f"pkg:github/swiftlang/{repository}@{toolchain.tag}"))
        for program, paths in package.libraries.items():
            if path in paths:
                relate(programs[program], "STATIC_LINK", library)
    if any(package.has_anchor.values()):
        anchor = add("anchor", ANCHOR_NAME, "OTHER", sha256=sha256(trust_anchor()), comment=ANCHOR_TEXT,
                     supplier="Organization: Apple Inc.")
        for program, present in package.has_anchor.items():
            if present:
                relate(programs[program], "CONTAINS", anchor)
    for name, version in package.depends.items():
        dependency = add(f"debian-{name}", name, "LIBRARY", externalRefs=purl(f"pkg:deb/{debian()}/{name}"),
                         comment=f"Not included: apt installs it.{f' Required version: {version}.' if version else ''}")
        relate(files[0], "DEPENDS_ON", dependency)
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{package.name}-{package.version}",
        "creationInfo": {"created": time, "creators": ["Tool: Packaging/inventory.py"]},
        "packages": packages, "relationships": relationships,
    }
    document["documentNamespace"] = f"https://spdx.org/spdxdocs/{document['name']}-{identifier(document)}"
    return written(package.beside(".spdx.json"), document)


def build_packages(traits):
    """Returns the installed packages that a build depends on, as package URLs with versions."""
    names = BUILD_PACKAGES + (["libpq-dev"] if "PostgreSQL" in traits else [])
    lines = subprocess.run(
        ["dpkg-query", "--show", "--showformat", "${db:Status-Abbrev}\t${Package}\t${Version}\t${Architecture}\n", *names],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.splitlines()
    found = [line.split("\t")[1:] for line in lines if line.startswith("ii")]
    return sorted(f"pkg:deb/{debian()}/{name}@{version}?arch={architecture}" for name, version, architecture in found)


def provenance(package, files, toolchain, traits):
    """Writes what a package was made from (https://slsa.dev/spec/v1.0/provenance)."""
    commit = output("git", "-C", PROJECT, "rev-parse", "HEAD").decode().strip()
    changed = output("git", "-C", PROJECT, "status", "--porcelain") != b""
    return written(package.beside(".provenance.json"), {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": file.name, "digest": {"sha256": sha256(file.read_bytes())}} for file in sorted(files)],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "urn:applepaytoken:make-dist:1",
                "externalParameters": {
                    "commit": commit, "filesDifferFromCommit": changed, "target": "dist", "traits": traits,
                },
                "internalParameters": {"SOURCE_DATE_EPOCH": int(os.environ["SOURCE_DATE_EPOCH"])},
                "resolvedDependencies": [
                    {"name": "source", "digest": {"gitCommit": commit}},
                    {"name": f"Swift {toolchain.version}, usr/bin/swift-frontend", "digest": {"sha256": toolchain.digest}},
                    *({"uri": package_url} for package_url in build_packages(traits)),
                ],
            },
            "runDetails": {"builder": {"id": os.environ.get("PAYTOKEN_BUILDER") or "urn:applepaytoken:builder:local"}},
        },
    })


def main():
    programs, dist, *names = sys.argv[1:]
    time = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    toolchain = Toolchain()
    traits = ["SQLite", "PostgreSQL"] if names[0] == "paytoken-postgresql" else ["SQLite"]
    for name in names:
        package = Package(name, pathlib.Path(dist), pathlib.Path(programs), toolchain)
        files = [package.deb, package.archive, cyclonedx(package, toolchain, time), spdx(package, toolchain, time)]
        provenance(package, files, toolchain, traits)


main()
