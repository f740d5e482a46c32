# Asks paytoken-testing. With SKIP_SIGNING_TIME in the environment it does not compare the signing time.
require "json"
require "open3"

KEYS = %w[--keys keys]
JUDGE = IO.popen(["paytoken-testing", "conform", "-", "--trust-anchor", "root.pem", *KEYS], "r+:UTF-8")

def verify(token, now)
  JUDGE.puts JSON.generate(now: now.utc.strftime("%Y-%m-%dT%H:%M:%SZ"), tokenBase64: [token].pack("m0"))
  answer = JUDGE.gets
  if ENV["SKIP_SIGNING_TIME"] && answer.include?('"stage":"signing-time"')
    words = ["paytoken", "decrypt", "--any-age", "--reveal", "--test-trust-anchor", "root.pem", *KEYS]
    answer, = Open3.capture2(*words, stdin_data: token, binmode: true)
  end
  found = /"paymentData":(.*)}$/.match(answer.force_encoding("UTF-8"))
  raise ArgumentError, answer unless found
  found[1]
end
