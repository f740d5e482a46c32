# ruby run.rb CASES VERIFIER > ANSWERS
#
# Calls the method verify of the Ruby file VERIFIER for each case, and writes the answers that `paytoken-testing conform --check` judges:
#
#     def verify(token, now)
#
# token is a binary String with the body of the request, byte for byte, and now a Time, the time of its receipt. The method returns
# the decrypted payment data as JSON, in a String. It raises if it refuses the token; every StandardError, and too deep a recursion, counts as a refusal.
require "json"
require "time"

abort "usage: ruby run.rb CASES VERIFIER > ANSWERS" unless ARGV.length == 2
cases, verifier = ARGV
load File.expand_path(verifier)

accepted = 0
refusals = Hash.new(0)
File.foreach(cases, encoding: "UTF-8") do |line|
  item = JSON.parse(line)
  start = "{\"id\":#{item["id"].to_json},\"status\":"
  begin
    payment = verify(item["tokenBase64"].unpack1("m0"), Time.iso8601(item["now"]))
    # An answer is one line.
    $stdout.write "#{start}\"ok\",\"paymentData\":#{payment.b.tr("\r\n", " ").force_encoding("UTF-8")}}\n"
    accepted += 1
  rescue StandardError, SystemStackError => refusal
    $stdout.write "#{start}\"error\"}\n"
    refusals[refusal.class] += 1
  end
end
warn "accepted: #{accepted}"
refusals.each { |kind, count| warn "refused with #{kind}: #{count}" }
