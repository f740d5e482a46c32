# usage: pay.pl SOCKET GATEWAY TOKEN ORDER     pays an order; prints the outcome, and exits like paytoken pay
use strict; use warnings;
use IO::Socket::UNIX; use JSON::PP;
my %exits = (paid => 0, refused => 1, returned => 1, 'action-required' => 4, pending => 4, returning => 4, authorized => 6,
    'partly-authorized' => 6, 'partly-paid' => 6, 'partly-returned' => 6);
my ($path, $gateway, $token, $order) = @ARGV;
sub finish { print "$_[0]\n"; exit $_[1] }
sub unknown { finish('unknown', 5) }  # The order may be paid: send it again, or ask for its outcome.
sub contents { open my $file, '<', $_[0] or die "$_[0]: $!\n"; local $/; decode_json(<$file>) }
my $body = eval { encode_json({ gateway => $gateway, token => contents($token), order => contents($order) }) };
my $service = defined $body && IO::Socket::UNIX->new(Peer => $path) or finish('not sent: ' . ($@ || $!), 3);
$SIG{ALRM} = \&unknown;
$SIG{PIPE} = 'IGNORE';
alarm($ENV{TIMEOUT} // 90);
print $service "POST /v1/pay HTTP/1.1\r\nHost: paytoken\r\nPaytoken-Request: true\r\nConnection: close\r\n",
    "Content-Type: application/json\r\nContent-Length: ", length $body, "\r\n\r\n", $body;
$service->flush;
my $answer = do { local $/; <$service> } // '';
my ($status, $length, $json) = $answer =~ m{^HTTP/1\.1 (\d{3}) .*?\r\nContent-Length: (\d+)\r\n.*?\r\n\r\n(.*)$}s or unknown();
my $text = eval { decode_json($json)->{$status == 200 ? 'outcome' : 'message'} };
unknown() if !defined $text || length $json != $length;
finish($text, $exits{$text} // 5) if $status == 200;
finish($text, { 422 => 1, 503 => 3 }->{$status} // ($status < 500 ? 2 : 5));
