#!/usr/bin/env python3
"""Causes the fault of each of Packaging/prometheus/paytoken.rules.yml at a running service, and mends it: Prometheus raises that
alarm within a minute, and ends it afterwards. Between the faults no alarm rings, also not at the first event after a start.

Time passes only for Prometheus: promtool gets what GET /metrics answered before, during and after each fault, as the values
of 40 minutes each. Faults that would take hours or a slow disk are values that are changed in such an answer.
Takes the folder of the programs. Needs promtool, of Debian's package prometheus.
"""
import contextlib
import json
import pathlib
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
from programs import check, folder, run  # noqa: E402
from serving import Purchase, Service, wait_until  # noqa: E402
from shop import Shop  # noqa: E402

RULES = pathlib.Path(__file__).resolve().parents[2] / "Packaging/prometheus/paytoken.rules.yml"
# The minutes from one fault to the next one, and how long it lasts.
PERIOD, FAULT = 60, 4


class Timeline:
    """What the service's metrics were, minute by minute, and which alarms are expected."""

    def __init__(self, service):
        self.service, self.minutes, self.expected = service, [], []
        self.pass_time(PERIOD)

    def read(self):
        """Returns the values by series, of an answer of the service."""
        status, text = self.service.ask("GET", "/metrics")[:2]
        check(status == 200, text)
        values = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
        check(len(values) > 100, f"few series: {text}")
        return values

    def pass_time(self, minutes, **changes):
        """Lets minutes pass with what the service answers now, in which some series are changed."""
        values = {**self.read(), **changes}
        self.minutes += [values] * minutes

    def fault(self, *alarms, **changes):
        """Begins a fault that raises alarms; the service answers as it does now until it is mended."""
        self.pass_time(FAULT, **changes)
        self.expected.append((len(self.minutes) - 1, sorted(alarms)))

    def mended(self):
        """Ends a fault: no alarm remains after an hour."""
        self.pass_time(PERIOD + 10)
        self.expected.append((len(self.minutes) - 1, []))

    def test(self):
        """Returns a test of promtool."""
        names = sorted({name for minute in self.minutes for name in minute})
        series = [{"series": name, "values": " ".join(minute.get(name, "stale") for minute in self.minutes)} for name in names]
        samples = [
            {"expr": 'count by (alertname) (ALERTS{alertstate="firing"})', "eval_time": f"{minute}m",
             "exp_samples": [{"labels": f'{{alertname="{alarm}"}}', "value": 1} for alarm in alarms]}
            for minute, alarms in self.expected]
        return {"rule_files": [str(RULES)], "evaluation_interval": "1m",
                "tests": [{"interval": "1m", "input_series": series, "promql_expr_test": samples}]}


def main():
    programs = folder()
    if not shutil.which("promtool"):
        return print("skipped: promtool is not installed")
    with Shop.open(programs) as shop, Service(shop, "--allow", "0=reveal", accounts=("bepaid", "cybersource")) as service:
        text = service.ask("GET", "/metrics")[1]
        linted = run(["promtool", "check", "metrics"], input=text.encode())
        check(linted.returncode == 0 and not linted.stderr, f"promtool check metrics: {linted.stderr.decode()}")
        time = Timeline(service)

        def reload():
            count = service.messages().count("were reloaded")
            service.process.send_signal(1)
            wait_until(lambda: service.messages().count("were reloaded") > count, "nothing is reloaded")

        @contextlib.contextmanager
        def account(name, **members):
            """Changes an account, and mends it."""
            file = service.folder / f"{name}.json"
            good = file.read_text()
            file.write_text(json.dumps({**json.loads(good), **members}))
            reload()
            yield
            file.write_text(good)
            reload()
            Purchase(service, 500, name).pay("paid" if name == "bepaid" else "authorized")
            check("gatewayFaults" not in service.expect(200, "GET", "/readyz"), "the fault is still shown")
            check(not [line for line, value in time.read().items() if "gateway_fault" in line and value != "0"], "a fault remains")
            time.mended()

        def shown(name, fault, reason=None):
            """The service is ready for other gateways, and shows the fault, also to doctor."""
            found = service.expect(200, "GET", "/readyz", status="ready")["gatewayFaults"]
            check(len(found) == 1 and found[0]["gateway"] == name and found[0]["fault"] == fault and
                  reason in (None, found[0]["reason"]), f"/readyz: {found}")
            for kind in ("unreachable", "account-refused"):
                value = time.read()[f'paytoken_gateway_fault{{gateway="{name}",fault="{kind}"}}']
                check(value == str(int(kind == fault)), f"{kind}: {value}")
            doctor = run([shop.paytoken, "doctor", "--json", "--socket", service.socket])
            check(doctor.returncode == 3 and b'"check":"gateway","result":"failed"' in doctor.stdout, f"{doctor}")

        credentials = json.loads((service.folder / "bepaid.json").read_text())["credentials"]
        wrong = service.folder / "wrong-secret"
        wrong.write_text("wrong")
        with account("bepaid", credentials={**credentials, "secretKey": {"file": str(wrong)}}):
            service.expect(200, "POST", "/v1/pay", Purchase(service, 501).body(), outcome="refused", origin="operator")
            shown("bepaid", "account-refused")
            time.fault("PaytokenAccountRefused")
        with account("bepaid", origin="http://127.0.0.1:1"):
            found = service.expect(503, "POST", "/v1/pay", Purchase(service, 502).body(), code="not-sent")
            check("127.0.0.1:1: Connection refused" in found["message"], f"host and cause are missing: {found}")
            service.wait_until_logged("pay", code="gateway/not-sent", disposition="operator",
                                      reason="No connection to the gateway could be made: 127.0.0.1:1: Connection refused")
            shown("bepaid", "unreachable", "No connection to the gateway could be made: 127.0.0.1:1: Connection refused")
            time.fault("PaytokenOperatorMustAct", "PaytokenRefusesRequests", "PaytokenGatewayDoesNotAnswer")
        # The answer says nothing about the payment, and this gateway cannot be asked.
        Purchase(service, 50_300, "cybersource").pay("unknown")
        time.fault("PaytokenOrdersUnknown")
        time.mended()
        ledger = service.ledger.with_name("moved")
        service.ledger.rename(ledger)
        service.expect(503, "POST", "/v1/pay", Purchase(service, 503).body(), code="ledger-unavailable")
        time.fault("PaytokenOperatorMustAct", "PaytokenRefusesRequests", "PaytokenLedgerDown")
        ledger.rename(service.ledger)
        Purchase(service, 504).pay("paid")
        time.mended()
        purchase = Purchase(service, 505)
        for file in (service.folder / "keys").glob("one.*"):
            file.rename(service.folder / file.name)
        reload()
        for _ in range(8):
            service.expect(422, "POST", "/v1/pay", purchase.body(), code="no-key-with-hash")
        time.fault("PaytokenKeyUnknown")
        for file in service.folder.glob("one.*"):
            file.rename(service.folder / "keys" / file.name)
        reload()
        purchase.pay("paid")
        time.mended()
        purchase.tap("--signed-at", "2035-01-01T00:00:00Z")
        for _ in range(8):
            service.expect(422, "POST", "/v1/verify", {"token": purchase.token}, stage="signing-time")
        time.fault("PaytokenClockWrong")
        time.mended()
        file = service.folder / "bepaid.json"
        good = file.read_text()
        file.write_text("{")
        service.process.send_signal(1)
        wait_until(lambda: "are kept" in service.messages(), "the reload does not fail")
        time.fault("PaytokenReloadFailed")
        file.write_text(good)
        reload()
        time.mended()
        values = time.read()
        ends = [name for name in values if name.startswith("paytoken_key_seconds_left{")]
        check(len(ends) >= 2 and all('merchant="' in name for name in ends), f"keys without merchants: {ends}")
        merchant = re.search('merchant="[^"]*"', ends[0])[0]
        near = {name: "2500000" for name in ends if merchant in name}
        buckets = {name: str(int(value) + 100) for name, value in values.items()
                   if re.match(r'paytoken_claim_seconds_(count|bucket\{le="(2\.5|5\.0|10\.0|30\.0|60\.0|\+Inf)"\})', name)}
        for alarm, changes in (
                # promtool begins at the time 0.
                ("PaytokenMetricsOld", {'node_textfile_mtime_seconds{file="/a/paytoken.prom"}': "0"}),
                ("PaytokenPaymentOpen", {"paytoken_oldest_open_attempt_seconds": "86401"}),
                ("PaytokenLedgerSlow", buckets), ("PaytokenCertificateEnds", near),
                ("PaytokenAuditFails", {"paytoken_audit_lines_waiting": "1"}),
                ("PaytokenAuditLost", {"paytoken_audit_lines_lost_total": "1"})):
            time.pass_time(PERIOD, **changes) if alarm == "PaytokenAuditFails" else None
            time.fault(alarm, **changes)
            time.mended()
        # A new key of the same merchant: the old one does not alarm.
        new = {name: value for name, value in near.items()}
        new[f'paytoken_key_seconds_left{{{merchant},key="new"}}'] = "60000000"
        time.fault(**new)
        time.mended()
        raised = {alarm for _, alarms in time.expected for alarm in alarms}
        known = set(re.findall(r"alert: (\w+)", RULES.read_text()))
        check(raised == known, f"alarms without a fault: {known ^ raised}")
        with tempfile.TemporaryDirectory() as work:
            file = pathlib.Path(work, "test.json")
            file.write_text(json.dumps(time.test()))
            done = run(["promtool", "test", "rules", file])
        check(done.returncode == 0, f"promtool test rules: {done.stdout.decode()[-3000:]}{done.stderr.decode()[-3000:]}")
    print(f"{len(known)} alarms ring at their faults and end; promtool has no remark about the metrics")


if __name__ == "__main__":
    main()
