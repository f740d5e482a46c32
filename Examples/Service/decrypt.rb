# usage: decrypt.rb SOCKET TOKEN ORDER     claims a token, once; prints the answer with its card data
require 'json'
require 'net/http'
require 'socket'

path, *files = ARGV
finish = ->(text, status) { puts(text) || exit(status) }
begin
  token, order = files.map { |file| JSON.parse(File.read(file)) }
  socket = UNIXSocket.new(path)
rescue StandardError => error then finish.("not sent: #{error.message}", 3)
end
begin
  service = Net::HTTP.new('paytoken')
  seconds = ENV.fetch('TIMEOUT', 70).to_f
  service.define_singleton_method(:connect) { @socket = Net::BufferedIO.new(socket, read_timeout: seconds, write_timeout: seconds) }
  answer = service.post('/v1/decrypt', JSON.generate({ token: token, order: order, claim: true, reveal: true }),
                        'Content-Type' => 'application/json', 'Paytoken-Request' => 'true')
  status, found = answer.code.to_i, JSON.parse(answer.body)
  raise 'not claimed' if status == 200 && !found.fetch('claimed')
  text = status == 200 ? answer.body : found.fetch('message')
rescue StandardError then finish.('unknown', 5) # The token may be claimed now: let the customer confirm again.
end
finish.(text, { 200 => 0, 422 => 1, 503 => 3 }.fetch(status, status < 500 ? 2 : 5))
