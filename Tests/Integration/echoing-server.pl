#!/usr/bin/env perl
# A server that asks a PostgreSQL client for its password and repeats it in its refusal; it prints its port, and ends
# after a minute.
use strict;
use warnings;
use IO::Socket::INET;

my $server = IO::Socket::INET->new(Listen => 64, LocalAddr => "127.0.0.1") or die "no socket";
print $server->sockport, "\n"; close STDOUT;
alarm 60;
while (my $client = $server->accept) {
    # Decline requests for encryption, which are recognized by their codes.
    while (read($client, my $head, 8) == 8) {
        my ($length, $code) = unpack "NN", $head;
        read($client, my $rest, $length - 8) if $length > 8;
        if ($code > 80877100) { print $client "N"; $client->flush; next }
        print $client "R", pack("NN", 8, 3); $client->flush;
        read($client, $head, 5); read($client, my $password, unpack("N", substr $head, 1) - 4);
        my $fields = "SFATAL\0C28P01\0Mnot $password" . "\0";
        print $client "E", pack("N", 4 + length $fields), $fields;
        last;
    }
    close $client;
}
