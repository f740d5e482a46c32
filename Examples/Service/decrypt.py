# usage: decrypt.py SOCKET TOKEN ORDER     claims a token, once; prints the answer with its card data
import http.client, json, os, socket, sys

path, token, order = sys.argv[1:]
service = http.client.HTTPConnection("paytoken")
service.sock = socket.socket(socket.AF_UNIX)
service.sock.settimeout(float(os.environ.get("TIMEOUT", 70)))
try:
    body = json.dumps({"token": json.load(open(token)), "order": json.load(open(order)), "claim": True, "reveal": True})
    service.sock.connect(path)
except (OSError, ValueError) as error:
    sys.exit(print(f"not sent: {error}") or 3)
try:
    service.request("POST", "/v1/decrypt", body, {"Content-Type": "application/json", "Paytoken-Request": "true"})
    answer = service.getresponse()
    found = json.load(answer)
    text = json.dumps(found) if answer.status == 200 and found["claimed"] else found["message"]
except Exception:
    sys.exit(print("unknown") or 5)  # The token may be claimed now: let the customer confirm again.
sys.exit(print(text) or {200: 0, 422: 1, 503: 3}.get(answer.status, 2 if answer.status < 500 else 5))
