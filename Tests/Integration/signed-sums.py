#!/usr/bin/env python3
"""Runs the commands of "Check what you downloaded" in SECURITY.md on a download that Packaging/sums.sh signed with a key of this
test, then on altered ones. InstallAndOperate.md must run the same commands before it installs or upgrades a package.

    signed-sums.py

Needs ssh-keygen.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "Tests/Tools/Documentation"))
from documents import blocks  # noqa: E402

GOOD = 'Good "paytoken-release" signature for paytoken with ED25519 key'
PACKAGE = "paytoken_0.1.0_amd64.deb"


def run(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


def sign(folder, key):
    """Runs sums.sh, with a key or without, and returns what it prints."""
    environment = {name: value for name, value in os.environ.items() if name != "PAYTOKEN_SIGNING_KEY"}
    done = run(PROJECT / "Packaging/sums.sh", folder, env=environment | ({"PAYTOKEN_SIGNING_KEY": str(key)} if key else {}))
    assert done.returncode == 0, done.stdout
    return done.stdout


def expect(title, folder, commands, *results):
    """Compares whether each command succeeds, and a part of what it prints."""
    for command, (succeeds, text) in zip(commands, results, strict=True):
        done = run("sh", "-c", command, cwd=folder, env=os.environ | {"LC_ALL": "C"})
        if (done.returncode == 0) != succeeds or text not in done.stdout:
            sys.exit(f"signed-sums.py: {title}: this ended with {done.returncode}:\n{command}\n{done.stdout}")
    print(f"signed-sums.py: {title}: as expected")


def main():
    block, = [block for block in blocks("SECURITY.md") if block.directive == "run by Tests/Integration/signed-sums.py"]
    commands = block.text.splitlines()
    assert len(commands) == 3, commands
    checked = " &&\n    ".join([*commands, "apt install ./paytoken_*.deb &&\n"])
    installations = [block.text for block in blocks("Sources/Core/ApplePayToken/Docs.docc/InstallAndOperate.md")
                     if "apt install ./paytoken_" in block.text]
    assert len(installations) == 2 and all(text.startswith(checked) for text in installations), installations
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        for name in ["key", "other"]:
            done = run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", work / name)
            assert done.returncode == 0, done.stdout
        folder = work / "download"
        folder.mkdir()
        files = {PACKAGE: "a package\n", "paytoken-0.1.0-linux-x86_64.tar.gz": "an archive\n", "paytoken_0.1.0_amd64.cdx.json": "{}\n"}
        for name, text in files.items():
            (folder / name).write_text(text)
        public = (work / "key.pub").read_text().strip()
        signers = f'paytoken namespaces="paytoken-release" {public}\n'
        (folder / "paytoken.signers").write_text(signers)
        sums, signature = folder / "SHA256SUMS", folder / "SHA256SUMS.sig"

        sign(folder, work / "key")
        good = signature.read_bytes()
        assert sorted(line.split()[1] for line in sums.read_text().splitlines()) == sorted(files)
        expect("signed", folder, commands, (True, GOOD), (True, f"{PACKAGE}: OK"), (True, ""))

        description = folder / "paytoken_0.1.0_amd64.cdx.json"
        description.unlink()
        expect("a file not downloaded", folder, commands, (True, GOOD), (True, f"{PACKAGE}: OK"), (True, ""))
        description.write_text(files[description.name])

        for name in [PACKAGE.replace("0.1.0", "9.0.0"), "paytoken-9.0.0-linux-x86_64.tar.gz"]:
            unlisted = folder / name
            unlisted.write_text(files[PACKAGE])
            expect("a package that is not listed", folder, commands, (True, GOOD), (True, f"{PACKAGE}: OK"), (False, f"  {name}\n"))
            unlisted.unlink()

        (folder / PACKAGE).write_text("another package\n")
        expect("an altered file", folder, commands, (True, GOOD), (False, f"{PACKAGE}: FAILED"), (False, f"  {PACKAGE}\n"))

        sign(folder, None)
        assert not signature.exists(), "sums.sh leaves the signature of other sums"
        signature.write_bytes(good)
        expect("an altered file with its sum", folder, commands, (False, "incorrect signature"), (True, f"{PACKAGE}: OK"), (True, ""))

        sign(folder, work / "other")
        expect("another key", folder, commands, (False, "Could not verify signature"), (True, f"{PACKAGE}: OK"), (True, ""))

        signature.unlink()
        done = run("ssh-keygen", "-Y", "sign", "-n", "file", "-f", work / "key", sums)
        assert done.returncode == 0, done.stdout
        expect("a signature by the key for another purpose", folder, commands, (False, "namespace"), (True, f"{PACKAGE}: OK"), (True, ""))

        printed = sign(folder, None)
        assert "SHA256SUMS is not signed" in printed, printed
        expect("unsigned", folder, commands, (False, "Couldn't read signature file"), (True, f"{PACKAGE}: OK"), (True, ""))


main()
