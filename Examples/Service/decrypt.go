// usage: go run decrypt.go SOCKET TOKEN ORDER     claims a token, once; prints the answer with its card data
package main
import ("bytes"; "context"; "encoding/json"; "errors"; "fmt"; "io"; "net"; "net/http"; "os"; "time")
var exits = map[int]int{200: 0, 400: 2, 403: 2, 404: 2, 409: 2, 411: 2, 413: 2, 415: 2, 422: 1, 431: 2, 503: 3}
func finish(text string, status int) { fmt.Println(text); os.Exit(status) }
func read(name string) json.RawMessage { text, err := os.ReadFile(name); if err != nil { finish("not sent: " + err.Error(), 3) }; return text }
func main() {
	limit, err := time.ParseDuration(os.Getenv("TIMEOUT") + "s"); if err != nil { limit = 70 * time.Second }
	client := http.Client{Timeout: limit, Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", os.Args[1]) }}}
	body, err := json.Marshal(map[string]any{"token": read(os.Args[2]), "order": read(os.Args[3]), "claim": true, "reveal": true}); if err != nil { finish("not sent: " + err.Error(), 3) }
	request, _ := http.NewRequest("POST", "http://paytoken/v1/decrypt", bytes.NewReader(body))
	request.Header = http.Header{"Content-Type": {"application/json"}, "Paytoken-Request": {"true"}}
	answer, err := client.Do(request)
	var failure *net.OpError
	if errors.As(err, &failure) && failure.Op == "dial" { finish("not sent: " + failure.Error(), 3) }
	if err != nil { finish("unknown", 5) } // The token may be claimed now: let the customer confirm again.
	text, err := io.ReadAll(answer.Body)
	var found struct{ Claimed bool; Message string }
	if err != nil || json.Unmarshal(text, &found) != nil { finish("unknown", 5) }
	shown, isKnown := found.Message, found.Message != ""
	if answer.StatusCode == 200 { shown, isKnown = string(bytes.TrimSpace(text)), found.Claimed }
	if !isKnown { finish("unknown", 5) }
	status, isListed := exits[answer.StatusCode]; if !isListed { status = 5 }
	finish(shown, status)
}
