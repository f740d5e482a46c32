// Asks paytoken-testing. With SKIP_SIGNING_TIME in the environment it does not compare the signing time.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"time"
)

var (
	questions io.Writer
	answers   *bufio.Reader
	payments  = regexp.MustCompile(`"paymentData":(.*)}\n`)
)

func init() {
	judge := exec.Command("paytoken-testing", "conform", "-", "--trust-anchor", "root.pem", "--keys", "keys")
	questions, _ = judge.StdinPipe()
	output, _ := judge.StdoutPipe()
	answers = bufio.NewReader(output)
	if err := judge.Start(); err != nil {
		panic(err)
	}
}

func verify(token []byte, now time.Time) ([]byte, error) {
	// A slice of bytes is encoded in base64.
	json.NewEncoder(questions).Encode(map[string]any{"now": now, "tokenBase64": token})
	answer, err := answers.ReadBytes('\n')
	if err != nil {
		panic(err)
	}
	if os.Getenv("SKIP_SIGNING_TIME") != "" && bytes.Contains(answer, []byte(`"stage":"signing-time"`)) {
		once := exec.Command("paytoken", "decrypt", "--any-age", "--reveal", "--test-trust-anchor", "root.pem", "--keys", "keys")
		once.Stdin = bytes.NewReader(token)
		answer, _ = once.Output()
	}
	if found := payments.FindSubmatch(answer); found != nil {
		return found[1], nil
	}
	return nil, errors.New(string(answer))
}
