#!/usr/bin/env perl
# Kills a shop with SIGKILL at six points between claim and answer, and checks that `paytoken ledger show` and one status
# request are enough to know what to do: afterwards every order is paid, and charged once. AcceptOnce.md, "After a
# crash", has the table. Takes the folder of the programs.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use POSIX ();
use Time::HiRes qw(sleep time);
use lib $FindBin::Bin;
use Claims qw(spawn finish contents);
use Shop;

# The points, with the amount that makes the gateway behave so, and whether it has the payment then.
my @points = (
    ['after the claim', 71_929, 0], ['after the request was written', 71_929, 0], ['while it is sent', 71_929, 0],
    ['after the gateway booked it', 40_800, 1], ['after the answer', 71_929, 1], ['after the confirmation', 71_929, 1],
);

# How each gateway answers the question about a payment that it does not have. Worldline is asked by the same request
# with the same key, which pays the order then.
my %missing = (
    'worldline-direct' => 'paid CAPTURED', 'worldline-connect' => 'paid PAID', bepaid => 'unknown -',
    dintero => 'unknown -', rbs => 'refused -',
);

# Runs a command of the ledger and returns its lines.
sub ledger {
    my ($payment, @words) = @_;
    my $file = "$payment->{folder}/ledger-output";
    Shop::write_to($file, $Shop::paytoken, 'ledger', @words, '--ledger', "$payment->{folder}/ledger") == 0
        or die "ledger @words: " . contents("$file.err");
    return map { decode_json($_) } split /\n/, contents($file);
}

# The shop: claims, writes the request, sends it, reads the answer, confirms. At the point it writes the point's number and
# waits to be killed.
sub shop {
    my ($payment, $point, $reports) = @_;
    my $folder = $payment->{folder};
    my $reached = sub {
        return unless $_[0] == $point;
        syswrite $reports, "$_[0]\n";
        sleep 600;
    };
    Shop::write_to("$folder/opened", $Shop::paytoken, 'decrypt', $payment->token, '--ledger', "$folder/ledger") == 0
        or die contents("$folder/opened.err");
    $reached->(0);
    my ($step, @request) = $payment->request('payment');
    Shop::write_to("$folder/request", @request) == 0 or die contents("$folder/request.err");
    $reached->(1);
    # Dintero's answers before the payment are there.
    unlink "$folder/answer";
    # With this header curl sends the head of the request, and waits before it sends the body.
    my @slowly = $point == 2 ? ('--header', 'Expect: 100-continue', '--expect100-timeout', '600') : ();
    my $curl = spawn(['curl', '-q', '-i', '--config', "$folder/request", @slowly], out => "$folder/answer");
    $reached->(2);
    $reached->(3);
    finish($curl) == 0 or die 'curl failed';
    my $answer = $payment->answer($step);
    $answer->{exit} == 0 or die "the payment is $answer->{outcome}";
    $reached->(4);
    ledger($payment, 'confirm', decode_json(contents("$folder/opened"))->{transactionId});
    $reached->(5);
}

# Waits until the sandbox's connections have bytes that it has not read, or none; a request was sent in both cases.
sub wait_for_bytes {
    my $wanted = shift;
    my $port = sprintf '%04X', $Shop::origin =~ /:(\d+)$/;
    my ($limit, $steady) = (time + 60, 0);
    while ($steady < 10) {
        die 'the request is not sent' if time > $limit;
        my @waiting = contents('/proc/net/tcp') =~ /^\s*\d+: \S+:$port \S+ 01 \S+:(\S+)/mg;
        my $unread = grep { hex } @waiting;
        $steady = @waiting && ($wanted ? $unread : !$unread) ? $steady + 1 : 0;
        sleep 0.03;
    }
}

# Starts the shop in a process group that is killed at the point.
sub kill_at {
    my ($payment, $point) = @_;
    pipe my $reader, my $reports or die $!;
    kill 'STOP', $Shop::sandbox if $point == 2;
    my $process = fork // die $!;
    if (!$process) {
        setpgrp;
        $SIG{__DIE__} = sub { print STDERR @_; POSIX::_exit(1) };
        shop($payment, $point, $reports);
        POSIX::_exit(0);
    }
    close $reports;
    (<$reader> // '') eq "$point\n" or die 'the shop ended before the point';
    wait_for_bytes($point == 2) if $point == 2 || $point == 3;
    kill 'KILL', -$process;
    finish($process) == 128 + 9 or die 'the shop was not killed';
    kill 'CONT', $Shop::sandbox;
}

sub recover {
    my ($payment, $point) = @_;
    my ($gateway, $answers) = ($payment->{gateway}, $payment->{gateway}{answers});
    my ($name, undef, $is_booked) = @{$points[$point]};
    my $settled = $answers->{settled} // $answers->{payment};
    my $transaction = decode_json(contents("$payment->{folder}/opened"))->{transactionId};
    # Open claims come after a line about the ledger.
    my (undef, @open) = ledger($payment, 'show');
    my $is_open = @open == 1 && $open[0]{state} eq 'claimed' && $open[0]{transactionId} eq $transaction;
    $is_open == ($point < 5) or die "$gateway->{name}, killed $name: open claims are not as expected";
    my $answer = $payment->expect('question', $is_booked ? $settled : $missing{$gateway->{name}});
    my $done = 'nothing';
    if ($is_open) {
        $done = 'confirmed';
        if ($answer->{exit} != 0) {
            $done = 'sent again, confirmed';
            $payment->expect('payment', $answers->{payment});
        }
        ledger($payment, 'confirm', $transaction);
    }
    my ($paid) = $gateway->{id} ? $payment->{body} =~ $gateway->{id} : ();
    my ($record) = ledger($payment, 'show', $transaction);
    $record->{state} eq 'confirmed' or die "$gateway->{name}, killed $name: the claim is $record->{state}";
    $payment->expect('question', $settled);
    # Dintero and RBS refuse a second payment of the same transaction or order.
    my ($last) = $gateway->{id} ? $payment->{body} =~ $gateway->{id} : ();
    die "$gateway->{name}, killed $name: there are the payments $paid and $last" if $paid && $last && $paid ne $last;
    my $charges = () = $payment->{body} =~ /"type":"payment"/g;
    die "$gateway->{name}, killed $name: charged $charges times" if $gateway->{name} eq 'bepaid' && $charges != 1;
    my $state = $is_open ? 'claimed' : 'confirmed';
    print "$gateway->{name}, killed $name: $state, $answer->{outcome}; $done\n";
}

sub crashes {
    my $gateway = shift;
    for my $point (0 .. $#points) {
        my $payment = Shop->new($gateway, $points[$point][1]);
        ledger($payment, 'init', '--window', '300');
        $payment->prepare();
        kill_at($payment, $point);
        recover($payment, $point);
    }
}

$| = 1;
my $folder = shift @ARGV;
my %running;
for my $gateway (grep { $missing{$_->{name}} } @Shop::gateways) {
    my $process = fork // die $!;
    if (!$process) {
        # Each has its own sandbox, which is stopped for a while.
        Shop::open_for_business($folder);
        my $is_done = eval { crashes($gateway); 1 };
        print STDERR $@ unless $is_done;
        Shop::close_down();
        exit($is_done ? 0 : 1);
    }
    $running{$process} = $gateway->{name};
}
my @failed = grep { finish($_) != 0 } keys %running;
die 'these gateways failed: ' . join(', ', sort map { $running{$_} } @failed) . "\n" if @failed;
print "\nkilled at " . @points . ' points with ' . (keys %missing) . " gateways: every order is paid, and charged once\n";
