#!/usr/bin/env python3
"""Creates the container image of a package, and runs its program as a container does: without a shell, with a read-only root, as
a user without rights. Decrypts a vector there, and pays an order at the service.

  image.py PACKAGE FOLDER-OF-PROGRAMS

PACKAGE is a paytoken_*.deb of `make dist`; the programs are paytoken-testing and gateway-sandbox. Needs root, for chroot. If
buildah is installed, it builds the image from the Containerfile, too.
"""
import filecmp
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from programs import Program, check, run  # noqa: E402
from serving import Purchase, Service, wait_until  # noqa: E402
from shop import Shop  # noqa: E402

PROJECT = pathlib.Path(__file__).resolve().parents[2]
# The folder of temporary files, which is also in the image.
TEMPORARY = "/tmp"
USER = 10001

# What a container runtime does for the program: a read-only root, /proc, /dev, a volume, and a user without rights.
CONTAINER = """
root=$1 volume=$2
shift 2
mount --make-rprivate /
mount --bind "$root" "$root"
mount -o remount,ro,bind "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mkdir -p "$root$volume"
mount --bind "$volume" "$root$volume"
cd /
exec env -i PATH=/usr/sbin:/usr/bin chroot --userspec=10001:10001 --groups= "$root" "$@"
"""


def create(package, folder):
    """Creates the files of the image."""
    made = run([PROJECT / "Packaging/image.sh", package, folder])
    check(made.returncode == 0, f"image.sh: {made.stderr.decode()}")
    print(made.stdout.decode(), end="", flush=True)
    return folder / "root.tar"


def check_tree(root):
    """Nothing but the program can be started, and nobody gains rights by it or can change it."""
    programs, others = [], []
    for path in sorted(root.rglob("*")):
        name, status = str(path.relative_to(root)), path.lstat()
        check(not status.st_mode & (stat.S_ISUID | stat.S_ISGID), f"{name} gives rights to who starts it")
        check(stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode) or stat.S_ISLNK(status.st_mode), f"{name} is a device")
        if status.st_uid or status.st_gid:
            check((status.st_uid, status.st_gid) == (USER, USER), f"{name} belongs to {status.st_uid}:{status.st_gid}")
            others.append(name)
        if stat.S_ISLNK(status.st_mode):
            continue
        check(not status.st_mode & 0o022 or name == "tmp", f"everybody can change {name}")
        if stat.S_ISREG(status.st_mode):
            with open(path, "rb") as file:
                check(file.read(2) != b"#!", f"{name} is a script")
            if status.st_mode & 0o111 and ".so." not in name:
                programs.append(name)
    check(sorted(programs) == ["usr/bin/paytoken", "usr/bin/paytokend"], f"programs: {programs}")
    check(others == ["run/paytoken", "var/lib/paytoken"], f"of the user paytoken: {others}")
    release = (root / "etc/os-release").read_text().splitlines()
    named = [line for line in pathlib.Path("/etc/os-release").read_text().splitlines() if line.startswith(("ID=", "VERSION_CODENAME="))]
    check(len(named) == 2 and set(named) <= set(release), f"scanners do not find this release of Debian: {release}")
    for package in ("base-files", "libc6", "libssl3", "paytoken"):
        check((root / f"usr/share/doc/{package}/copyright").exists() and (root / f"var/lib/dpkg/status.d/{package}").exists(),
              f"{package} has no license or no description for scanners")


def inside(root, volume, *words):
    """Returns the command that runs a program in the image; it becomes this process, which signals then reach."""
    return ["unshare", "--mount", "sh", "-ec", CONTAINER, "sh", root, volume, *words]


def give(folder):
    """Makes the image's user the owner of the files in a folder, as of those in a volume."""
    subprocess.run(["chown", "-R", f"{USER}:{USER}", folder], check=True)


class ContainedService(Service):
    """The service of a shop in the image."""

    def __init__(self, shop, root):
        self.root = root
        super().__init__(shop, "--allow", "0=pay")

    def start(self):
        give(self.shop.work)
        self.process = Program(inside(self.root, self.shop.work, "/usr/bin/paytokend", *self.words),
                               stdout=self.folder / "audit", stderr=self.folder / "messages")
        wait_until(self.is_ready, f"the service does not start: {self.messages()}")


def check_program(root, programs):
    """Starts no shell, shows the version, decrypts all valid vectors, finds its installation in order, and pays."""
    with Shop.open(programs) as shop:
        def started(*words):
            return run(inside(root, shop.work, *words))
        version = started("/usr/bin/paytoken", "--version")
        check(version.returncode == 0 and b"OpenSSL 3." in version.stdout, f"version: {version}")
        print(version.stdout.decode(), end="", flush=True)
        for shell in ("/bin/sh", "/bin/bash", "/usr/bin/env"):
            check(started(shell).returncode == 127, f"{shell} is in the image")
        vectors = shop.work / "vectors"
        shutil.copytree(PROJECT / "TestVectors/synthetic", vectors)
        judge = ["decrypt", "--batch", vectors / "cases.jsonl", "--any-age", "--test-trust-anchor", vectors / "pki/root.pem", "--keys",
                 vectors / "keys"]
        keychain, passphrase = shop.work / "keychain.p12", shop.work / "passphrase"
        shutil.copy(PROJECT / "TestVectors/key-files/accepted/one.keychain.p12", keychain)
        passphrase.write_text("apple-pay\n")
        give(shop.work)
        expected = run([programs / "paytoken", *judge])
        found = started("/usr/bin/paytoken", *judge)
        check(expected.stdout.count(b'"status":"ok"') > 20, "too few valid vectors")
        check(found.stdout == expected.stdout, f"other verdicts than outside: {found.stderr.decode()}")
        listed = started("/usr/bin/paytoken", "keys", "list", "--keys", keychain, "--passphrase-file", passphrase)
        check(listed.returncode == 0, f"Keychain's file is not read: {listed.stderr.decode()}")
        with ContainedService(shop, root) as service:
            order = Purchase(service, 71_929)
            order.pay("paid")
            asked = started("/usr/bin/paytoken", "doctor", "--socket", service.socket, "--json")
            for name in ("no-new-privileges", "system-call-filter", "file-rules", "network"):
                check(f'"check":"{name}","result":"passed"'.encode() in asked.stdout, f"doctor: {asked}")
            service.stop()


def check_build(folder, work):
    """buildah builds the image from the Containerfile, which pulls nothing, and the image has the program as its command."""
    storage = ["--storage-driver", "vfs", "--root", work / "storage", "--runroot", work / "run"]
    built = run(["buildah", *storage, "build", "--isolation", "chroot", "--tag", "paytoken", folder])
    check(built.returncode == 0, f"buildah: {built.stderr.decode()}")
    settings = run(["buildah", *storage, "inspect", "--type", "image", "--format",
                    "{{.OCIv1.Config.User}} {{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.Cmd}}", "paytoken"])
    check(settings.stdout.decode().strip() == f"{USER}:{USER} [/usr/bin/paytoken] [--help]", f"settings: {settings}")
    started = run(["buildah", *storage, "from", "--name", "container", "paytoken"])
    check(started.returncode == 0, f"buildah: {started.stderr.decode()}")
    version = run(["buildah", *storage, "run", "--isolation", "chroot", "container", "--", "/usr/bin/paytoken", "--version"])
    check(version.returncode == 0, f"buildah: {version.stderr.decode()}")
    run(["buildah", *storage, "rm", "container"])
    print("buildah builds the image")


def main():
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} PACKAGE FOLDER-OF-PROGRAMS")
    check(os.getuid() == 0, "run this as root: it uses chroot")
    package, programs = map(pathlib.Path, sys.argv[1:])
    tempfile.tempdir = TEMPORARY
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        first = create(package, work / "image")
        check(filecmp.cmp(first, create(package, work / "again"), shallow=False), "the second image is another one")
        root = work / "root"
        root.mkdir()
        subprocess.run(["tar", "-C", root, "-xpf", first, "--numeric-owner"], check=True)
        work.chmod(0o755)
        check_tree(root)
        check_program(root, programs.resolve())
        if shutil.which("buildah"):
            check_build(work / "image", work)
        else:
            print("skipped: buildah is not installed")


if __name__ == "__main__":
    main()
