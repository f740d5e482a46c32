# usage: pay.rb SOCKET GATEWAY TOKEN ORDER     pays an order; prints the outcome, and exits like paytoken pay
require 'json'
require 'net/http'
require 'socket'

EXITS = { 'paid' => 0, 'refused' => 1, 'returned' => 1, 'action-required' => 4, 'pending' => 4, 'returning' => 4,
          'authorized' => 6, 'partly-authorized' => 6, 'partly-paid' => 6, 'partly-returned' => 6 }.freeze
path, gateway, *files = ARGV
finish = ->(text, status) { puts(text) || exit(status) }
begin
  token, order = files.map { |file| JSON.parse(File.read(file)) }
  socket = UNIXSocket.new(path)
rescue StandardError => error then finish.("not sent: #{error.message}", 3)
end
begin
  service = Net::HTTP.new('paytoken')
  seconds = ENV.fetch('TIMEOUT', 90).to_f
  service.define_singleton_method(:connect) { @socket = Net::BufferedIO.new(socket, read_timeout: seconds, write_timeout: seconds) }
  answer = service.post('/v1/pay', JSON.generate({ gateway: gateway, token: token, order: order }),
                        'Content-Type' => 'application/json', 'Paytoken-Request' => 'true')
  status = answer.code.to_i
  text = JSON.parse(answer.body).fetch(status == 200 ? 'outcome' : 'message')
rescue StandardError then finish.('unknown', 5) # The order may be paid: send it again, or ask for its outcome.
end
finish.(text, status == 200 ? EXITS.fetch(text, 5) : { 422 => 1, 503 => 3 }.fetch(status, status < 500 ? 2 : 5))
