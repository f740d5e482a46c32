# usage: pay.py SOCKET GATEWAY TOKEN ORDER     pays an order; prints the outcome, and exits like paytoken pay
import http.client, json, os, socket, sys

EXITS = {"paid": 0, "refused": 1, "returned": 1, "action-required": 4, "pending": 4, "returning": 4,
         "authorized": 6, "partly-authorized": 6, "partly-paid": 6, "partly-returned": 6}
path, gateway, token, order = sys.argv[1:]
service = http.client.HTTPConnection("paytoken")
service.sock = socket.socket(socket.AF_UNIX)
service.sock.settimeout(float(os.environ.get("TIMEOUT", 90)))
try:
    body = json.dumps({"gateway": gateway, "token": json.load(open(token)), "order": json.load(open(order))})
    service.sock.connect(path)
except (OSError, ValueError) as error:
    sys.exit(print(f"not sent: {error}") or 3)
try:
    service.request("POST", "/v1/pay", body, {"Content-Type": "application/json", "Paytoken-Request": "true"})
    answer = service.getresponse()
    text = str(json.load(answer)["outcome" if answer.status == 200 else "message"])
except Exception:
    sys.exit(print("unknown") or 5)  # The order may be paid: send it again, or ask for its outcome.
if answer.status == 200:
    sys.exit(print(text) or EXITS.get(text, 5))
sys.exit(print(text) or {422: 1, 503: 3}.get(answer.status, 2 if answer.status < 500 else 5))
