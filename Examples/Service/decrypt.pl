# usage: decrypt.pl SOCKET TOKEN ORDER     claims a token, once; prints the answer with its card data
use strict; use warnings;
use IO::Socket::UNIX; use JSON::PP;
my ($path, $token, $order) = @ARGV;
sub finish { print "$_[0]\n"; exit $_[1] }
sub unknown { finish('unknown', 5) }  # The token may be claimed now: let the customer confirm again.
sub contents { open my $file, '<', $_[0] or die "$_[0]: $!\n"; local $/; decode_json(<$file>) }
my %wishes = (claim => JSON::PP::true, reveal => JSON::PP::true);
my $body = eval { encode_json({ token => contents($token), order => contents($order), %wishes }) };
my $service = defined $body && IO::Socket::UNIX->new(Peer => $path) or finish('not sent: ' . ($@ || $!), 3);
$SIG{ALRM} = \&unknown;
$SIG{PIPE} = 'IGNORE';
alarm($ENV{TIMEOUT} // 70);
print $service "POST /v1/decrypt HTTP/1.1\r\nHost: paytoken\r\nPaytoken-Request: true\r\nConnection: close\r\n",
    "Content-Type: application/json\r\nContent-Length: ", length $body, "\r\n\r\n", $body;
$service->flush;
my $answer = do { local $/; <$service> } // '';
my ($status, $length, $json) = $answer =~ m{^HTTP/1\.1 (\d{3}) .*?\r\nContent-Length: (\d+)\r\n.*?\r\n\r\n(.*)$}s or unknown();
my $text = eval { my $found = decode_json($json); $status == 200 ? $found->{claimed} && $json : $found->{message} };
unknown() if !$text || length $json != $length;
finish($text, { 200 => 0, 422 => 1, 503 => 3 }->{$status} // ($status < 500 ? 2 : 5));
