// go run run.go VERIFIER.go CASES > ANSWERS
//
// Calls the function verify of VERIFIER.go, a file of the package main, for each case, and writes the answers that
// `paytoken-testing conform --check` judges:
//
//	func verify(token []byte, now time.Time) ([]byte, error)
//
// token is the body of the request, byte for byte, and now the time of its receipt. The function returns the decrypted payment data
// as JSON, or an error if it refuses the token.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"time"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: go run run.go VERIFIER.go CASES > ANSWERS")
	}
	cases, err := os.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	accepted, refusals := 0, map[string]int{}
	lines := bufio.NewScanner(cases)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var item struct {
			ID    string    `json:"id"`
			Token []byte    `json:"tokenBase64"`
			Now   time.Time `json:"now"`
		}
		if err := json.Unmarshal(lines.Bytes(), &item); err != nil {
			log.Fatal(err)
		}
		if payment, err := verify(item.Token, item.Now); err != nil {
			fmt.Printf("{\"id\":%q,\"status\":\"error\"}\n", item.ID)
			refusals[fmt.Sprintf("%T", err)]++
		} else {
			// An answer is one line.
			payment = bytes.ReplaceAll(bytes.ReplaceAll(payment, []byte("\r"), []byte(" ")), []byte("\n"), []byte(" "))
			fmt.Printf("{\"id\":%q,\"status\":\"ok\",\"paymentData\":%s}\n", item.ID, payment)
			accepted++
		}
	}
	if err := lines.Err(); err != nil {
		log.Fatal(err)
	}
	fmt.Fprintln(os.Stderr, "accepted:", accepted)
	for kind, count := range refusals {
		fmt.Fprintf(os.Stderr, "refused with %s: %d\n", kind, count)
	}
}
