#!/usr/bin/env python3
"""Checks the units of Packaging/systemd: systemd reads them without a complaint, their scores are low, each has only what it needs,
and both processes of the service pay and get a merchant session, with all protections, under the units' filters of system calls.
Takes the folder of the programs. Needs systemd-analyze and root.
"""
import ctypes
import os
import pathlib
import re
import resource
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
from programs import Program, check, folder, run  # noqa: E402
from serving import Apple, Purchase, Service, wait_until  # noqa: E402
from shop import Shop  # noqa: E402

UNITS = pathlib.Path(__file__).resolve().parents[2] / "Packaging/systemd"
SCORES = {"paytokend.service": 0.6, "paytokend-send.service": 1.3, "paytoken-recover@.service": 1.3, "paytoken-doctor.service": 0.7,
          "paytoken-metrics.service": 0.7}
# The processes of the service.
PROCESSES = "paytokend.service", "paytokend-send.service"
LIBRARY = "libseccomp.so.2"


def analyze(*words):
    done = run(["systemd-analyze", *words])
    return done.returncode, done.stdout.decode() + done.stderr.decode()


def verify(programs, work):
    """systemd finds no fault in the units."""
    for file in UNITS.iterdir():
        if file.suffix in (".service", ".socket", ".timer"):
            (work / file.name).write_text(file.read_text().replace("/usr/bin/paytoken", f"{programs}/paytoken"))
    units = sorted(work.iterdir())
    check(len(units) == 12, f"not twelve units: {units}")
    status, text = analyze("verify", "--man=no", *units)
    check(status == 0 and not text, f"systemd-analyze verify: {text}")


def scores():
    """The scores are low enough."""
    services = {file.name for file in UNITS.glob("*.service")}
    check(services == set(SCORES), f"not all units have a limit: {services}")
    for name, limit in SCORES.items():
        status, text = analyze("security", "--offline=yes", "--no-pager", UNITS / name)
        score = float(re.search(r"exposure level for \S+: ([0-9.]+)", text)[1])
        check(status == 0 and score <= limit, f"{name}: {score}, not at most {limit}\n{text}")
        print(f"{name}: {score}")


def settings(name):
    """Returns the values of a unit's settings, in order."""
    found = {}
    text = (UNITS / name).read_text().replace("\\\n", "")
    for key, value in re.findall(r"^([A-Za-z]+)=(.*)$", text, re.M):
        found.setdefault(key, []).append(value)
    return found


def needs():
    """No unit opens a port, uses memory or threads without a limit, or executes other programs than it names; and only two may read
    the keys, which have no network. The one that copies the metrics has neither."""
    programs = "/usr/bin/paytoken", "/usr/bin/paytokend"
    for name in SCORES:
        found = settings(name)
        for key, value in (("SocketBindDeny", "any"), ("MemoryMax", r"[0-9]+[MG]"), ("TasksMax", "[0-9]+"), ("NoExecPaths", "/"),
                           ("LimitCORE", "0"), ("NoNewPrivileges", "yes"), ("SystemCallErrorNumber", "EPERM")):
            check(len(found.get(key, [])) == 1 and re.fullmatch(value, found[key][0]), f"{name}: {key}={found.get(key)}, not {value}")
        started = " ".join(found["ExecStart"])
        wanted = {path for path in (*programs, "/bin/sh", "/usr/bin/curl", "/bin/mv")
                  if re.search(rf"(^|[ ']){path} ", started)}
        libraries = {"/usr/lib", "-/usr/lib64", "-/lib", "-/lib64"}
        check(len(found["ExecPaths"]) == 1 and set(found["ExecPaths"][0].split()) == wanted | libraries,
              f"{name}: ExecPaths={found['ExecPaths']}, not {wanted} and {libraries}")
        hidden = {path.lstrip("-") for line in found.get("InaccessiblePaths", []) for path in line.split()}
        has_keys = not hidden & {"/etc/paytoken", "/etc/paytoken/keys"}
        check(has_keys == ("KEYS=" in " ".join(found.get("Environment", []))), f"{name}: may it read keys? {has_keys}")
        has_network = found.get("PrivateNetwork") != ["yes"] or found.get("IPAddressDeny") != ["any"]
        wanted = has_keys or name == "paytoken-metrics.service"
        check(has_network != wanted, f"{name}: has it keys and network, or neither? {has_keys} {has_network}")


def failures():
    """A service that cannot start fails instead of starting again and again, its socket too, and a timer starts it a minute later."""
    for process in PROCESSES:
        name = process.removesuffix(".service")
        service, socket, timer = settings(process), settings(f"{name}.socket"), settings(f"{name}.timer")
        check(service.get("RestartPreventExitStatus") == ["2 3"], f"{name} is started again at once")
        check(0 < int(service["StartLimitIntervalSec"][0]) / int(service["StartLimitBurst"][0]) <= 3, f"{name} is started without end")
        check(0 < int(socket["TriggerLimitBurst"][0]) <= 2 and int(socket["TriggerLimitIntervalSec"][0]) >= 60, f"clients of {name} wait")
        check(f"{name}.timer" in service["Wants"][0].split(), f"{name} does not start its timer")
        check(timer["OnUnitInactiveSec"] == ["60s"] and timer["PartOf"] == [process], f"{name}.timer: {timer}")


def asks():
    """The unit of doctor may connect to the service's socket, and asks the service if that exists."""
    found = settings("paytoken-doctor.service")
    groups = found.get("SupplementaryGroups"), settings("paytokend.socket")["SocketGroup"]
    check(groups[0] == groups[1], f"doctor and the socket have the groups {groups}")
    script = re.search(r" -c '(.*)' sh$", found["ExecStart"][0])[1].replace("$$", "$").replace("/usr/bin/paytoken", "echo")
    for path, asked in (("/dev/null", True), ("/dev/null/none", False)):
        printed = run(["sh", "-c", script, "sh"], env={**os.environ, "KEYS": "k", "LEDGER": "l", "SOCKET": path}).stdout.decode()
        check(printed.startswith("doctor --quiet --keys k --ledger l") and (f" --socket {path}" in printed) == asked,
              f"with the socket {path}, the unit runs {printed}")


def calls(group):
    """Returns the system calls of a group, which may contain groups."""
    status, text = analyze("syscall-filter", group)
    check(status == 0, text)
    words = [line.strip() for line in text.splitlines()[1:] if line.strip() and not line.strip().startswith("#")]
    return {call for word in words for call in (calls(word) if word.startswith("@") else [word])}


def permitted(name):
    """Returns the system calls that a unit permits."""
    found = set()
    for line in settings(name)["SystemCallFilter"]:
        named = {call for word in line.lstrip("~").split() for call in (calls(word) if word.startswith("@") else [word])}
        found = found - named if line.startswith("~") else found | named
    return found


def confine(names):
    """Returns a function that confines a new process as systemd does: other system calls than these fail with EPERM."""
    library = ctypes.CDLL(LIBRARY)
    library.seccomp_init.restype = ctypes.c_void_p
    filter_ = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(0x00050000 | 1)))
    for name in names:
        number = library.seccomp_syscall_resolve_name(name.encode())
        if number >= 0:
            added = library.seccomp_rule_add(filter_, ctypes.c_uint32(0x7FFF0000), number, 0)
            check(added == 0, f"{name}: {added}")

    def apply():
        check(library.seccomp_load(filter_) == 0, "the filter is not loaded")
    return apply


def has_file_rules():
    """Returns whether this kernel has Landlock (landlock_create_ruleset(2), for the version)."""
    return ctypes.CDLL(None).syscall(444, None, 0, 1) > 0


def may_lock_memory():
    """Permits this process and those that it starts to lock all memory, as LimitMEMLOCK=infinity does; returns whether it may."""
    try:
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    except ValueError:
        return False
    return True


def run_confined(shop):
    """An order is paid, Apple gives a merchant session, and doctor finds all protections."""
    missing = {"file-rules": not has_file_rules(), "locked-memory": not may_lock_memory()}
    filters = {name: confine(permitted(name)) for name in PROCESSES}

    class Confined(Service):
        def start(self):
            path = self.folder / "run/sender"
            self.sender = Program([shop.paytokend, "send", "--socket", path, *self.sending],
                                  stderr=self.folder / "sender-messages", preexec_fn=filters["paytokend-send.service"])
            wait_until(path.exists, f"the sender does not start: {(self.folder / 'sender-messages').read_text()}")
            self.process = Program([shop.paytokend, *self.words, "--sender", path], stdout=self.folder / "audit",
                                   stderr=self.folder / "messages", preexec_fn=filters["paytokend.service"])
            wait_until(self.is_ready, f"the service does not start: {self.messages()}")

    with Confined(shop, split=True, sending=Apple(shop).words) as service:
        Purchase(service, 71_929).pay("paid")
        service.expect(200, "POST", "/v1/session", Apple.PAGE, nonce="6f1")
        found = run([shop.paytoken, "doctor", "--json", "--socket", service.socket]).stdout.decode()
        for name in ("service", "no-new-privileges", "system-call-filter", "file-rules", "locked-memory", "network"):
            is_there = f'{{"check":"{name}","result":"passed"' in found
            if missing.get(name):
                print(f"skipped: {name} is not possible on this machine")
            else:
                check(is_there, f"{name}: {found}")
        service.process.send_signal(1)
        wait_until(lambda: "were reloaded" in service.messages(), "the files are not reloaded")
        service.stop()


def main():
    programs = folder()
    if not shutil.which("systemd-analyze"):
        return print("skipped: systemd-analyze is not installed")
    with tempfile.TemporaryDirectory() as work:
        verify(programs, pathlib.Path(work))
    scores()
    needs()
    failures()
    asks()
    if os.getuid() != 0:
        return print("skipped: the filters of system calls need root")
    with Shop.open(programs) as shop:
        run_confined(shop)
    print("an order is paid, and a merchant session comes, under the units' filters of system calls")


if __name__ == "__main__":
    main()
