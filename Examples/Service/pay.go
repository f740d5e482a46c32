// usage: go run pay.go SOCKET GATEWAY TOKEN ORDER     pays an order; prints the outcome, and exits like paytoken pay
package main
import ("bytes"; "context"; "encoding/json"; "errors"; "fmt"; "net"; "net/http"; "os"; "time")
var exits = map[string]int{"paid": 0, "refused": 1, "returned": 1, "action-required": 4, "pending": 4, "returning": 4, "authorized": 6, "partly-authorized": 6, "partly-paid": 6, "partly-returned": 6}
var refusals = map[int]int{400: 2, 403: 2, 404: 2, 409: 2, 411: 2, 413: 2, 415: 2, 422: 1, 431: 2, 503: 3}
func finish(text string, status int) { fmt.Println(text); os.Exit(status) }
func read(name string) json.RawMessage { text, err := os.ReadFile(name); if err != nil { finish("not sent: " + err.Error(), 3) }; return text }
func main() {
	limit, err := time.ParseDuration(os.Getenv("TIMEOUT") + "s"); if err != nil { limit = 90 * time.Second }
	client := http.Client{Timeout: limit, Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", os.Args[1]) }}}
	body, err := json.Marshal(map[string]any{"gateway": os.Args[2], "token": read(os.Args[3]), "order": read(os.Args[4])}); if err != nil { finish("not sent: " + err.Error(), 3) }
	request, _ := http.NewRequest("POST", "http://paytoken/v1/pay", bytes.NewReader(body))
	request.Header = http.Header{"Content-Type": {"application/json"}, "Paytoken-Request": {"true"}}
	answer, err := client.Do(request)
	var failure *net.OpError
	if errors.As(err, &failure) && failure.Op == "dial" { finish("not sent: " + failure.Error(), 3) }
	var result struct{ Outcome, Message string }
	if err != nil || json.NewDecoder(answer.Body).Decode(&result) != nil { finish("unknown", 5) } // The order may be paid: send it again, or ask for its outcome.
	text := result.Outcome
	status, known := exits[text]
	if answer.StatusCode != 200 { text = result.Message; status, known = refusals[answer.StatusCode] }
	if text == "" { text, known = "unknown", false }
	if !known { status = 5 }
	finish(text, status)
}
