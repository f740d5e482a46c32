#!/usr/bin/env perl
# Kills a shop with SIGKILL at nine points between claim and answer, at every gateway, and follows the recovery of
# AcceptOnce.md, "After a crash". Afterwards, the gateway's own books must show that every order was charged once, also if
# the customer then pays again in the same slot, and no claim may be open. Takes the folder of the programs.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use POSIX ();
use Time::HiRes qw(sleep time);
use lib $FindBin::Bin;
use Claims qw(spawn finish contents write_file);
use Shop;

# The points, with the amount that makes the gateway behave so, and what it has then.
my @points = (
    ['after the claim', 71_929, 'nothing'], ['after the transaction was stored', 71_929, 'nothing'],
    ['after the request was written', 71_929, 'nothing'], ['while it is sent', 71_929, 'nothing'],
    ['before the gateway reads it', 71_929, 'payment'], ['after the gateway booked it', 40_800, 'payment'],
    ['after the answer', 71_929, 'payment'], ['after a refusal', 40_200, 'refusal'],
    ['after the confirmation', 71_929, 'payment'],
);
my ($claimed, $stored, $written, $sending, $sent, $booked, $answered, $refused, $confirmed) = 0 .. $#points;

# A state in which the money is taken or reserved.
my $success = qr/^(paid|authorized)$/;

# Runs a command of the ledger and returns its lines.
sub ledger {
    my ($payment, @words) = @_;
    my $file = "$payment->{folder}/ledger-output";
    Shop::write_to($file, $Shop::paytoken, 'ledger', @words, '--ledger', "$payment->{folder}/ledger") == 0
        or die "ledger @words: " . contents("$file.err");
    return map { decode_json($_) } split /\n/, contents($file);
}

# Claims the transaction of the customer's token, and returns its identifier and the claim's serial.
sub claim {
    my $payment = shift;
    my $file = "$payment->{folder}/opened";
    my @order = (@{$payment->{price}}, '--ledger', "$payment->{folder}/ledger");
    Shop::write_to($file, $Shop::paytoken, 'decrypt', $payment->token, @order) == 0 or die contents("$file.err");
    return @{decode_json(contents($file))}{'transactionId', 'serial'};
}

# Confirms or releases a claim.
sub finish_claim {
    my ($payment, $verb, $transaction, $serial) = @_;
    ledger($payment, $verb, $transaction, '--serial', $serial);
}

# The state that an expected answer such as `paid CAPTURED` begins with.
sub state_of { shift =~ /^(\S+)/ ? $1 : die }

# The shop: claims, stores the transaction, writes the request, sends it, reads the answer, confirms. At the point it
# writes the point's number and waits to be killed.
sub shop {
    my ($payment, $point, $reports) = @_;
    my $folder = $payment->{folder};
    my $reached = sub {
        return unless $_[0] == $point;
        syswrite $reports, "$_[0]\n";
        sleep 600;
    };
    my @claim = claim($payment);
    $reached->($claimed);
    write_file("$folder/stored", "@claim");
    $reached->($stored);
    my ($step, @request) = $payment->request('payment');
    Shop::write_to("$folder/request", @request) == 0 or die contents("$folder/request.err");
    $reached->($written);
    # Dintero's answers before the payment are there.
    unlink "$folder/answer";
    # With this header curl sends the head of the request, and waits before it sends the body.
    my @slowly = $point == $sending ? ('--header', 'Expect: 100-continue', '--expect100-timeout', '600') : ();
    my $curl = spawn(['curl', '-q', '-i', '--config', "$folder/request", @slowly], out => "$folder/answer");
    $reached->($_) for $sending, $sent, $booked;
    finish($curl) == 0 or die 'curl failed';
    my $answer = $payment->answer($step);
    my $expected = state_of($payment->{gateway}{answers}{$point == $refused ? 'decline' : 'payment'});
    $answer->{outcome} eq $expected or die "the payment is $answer->{outcome}";
    $reached->($_) for $answered, $refused;
    # It was sent, whatever came of it.
    finish_claim($payment, 'confirm', @claim);
    $reached->($confirmed);
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
    my $is_stopped = $point == $sending || $point == $sent;
    kill 'STOP', $Shop::sandbox if $is_stopped;
    my $process = fork // die $!;
    if (!$process) {
        setpgrp;
        $SIG{__DIE__} = sub { print STDERR @_; POSIX::_exit(1) };
        shop($payment, $point, $reports);
        POSIX::_exit(0);
    }
    close $reports;
    (<$reader> // '') eq "$point\n" or die 'the shop ended before the point';
    wait_for_bytes($is_stopped) if $is_stopped || $point == $booked;
    kill 'KILL', -$process;
    finish($process) == 128 + 9 or die 'the shop was not killed';
    kill 'CONT', $Shop::sandbox if $is_stopped;
    # The shop waits until no request can be on its way any more.
    my $limit = time + 60;
    while ($point == $sent && !$payment->books) {
        die 'the gateway does not book the request' if time > $limit;
        sleep 0.1;
    }
}

# Asks the gateway for the order by its reference, or by the identifier in a later answer; nil if it cannot be asked.
sub ask {
    my ($payment, $expected) = @_;
    my $gateway = $payment->{gateway};
    return unless $gateway->{question} && ($gateway->{by_reference} || $payment->{id});
    return $payment->expect($gateway->{search} ? 'search' : 'question', $expected);
}

# Sends the payment again: the same request with the same key where the gateway keeps its first answers.
sub send_again {
    my ($payment, $has) = @_;
    my $answers = $payment->{gateway}{answers};
    my %words = (nothing => $answers->{payment}, payment => $answers->{repeated}, refusal => $answers->{decline});
    # Worldline Direct does not keep refusals, and refuses another payment.
    delete $payment->{id} if $has eq 'refusal';
    return $payment->expect('payment', $words{$has});
}

# What is documented for an open claim. Returns what was done.
sub settle {
    my ($payment, $transaction, $has) = @_;
    my ($gateway, $answers) = ($payment->{gateway}, $payment->{gateway}{answers});
    my $settled = $answers->{settled} // $answers->{payment};
    my %words = (nothing => $answers->{absent}, payment => $settled, refusal => $answers->{declined});
    my $answer = ask($payment, $words{$has});
    my $known = $answer ? "asked: $answer->{outcome}" : 'cannot be asked';
    # What the gateway states is final; that it does not have the payment is not.
    return $known if $answer && $answer->{outcome} =~ /$success|^refused$/;
    !$answer || $answer->{exit} == $Shop::exit{unknown} or die "$gateway->{name}: exit $answer->{exit}\n";
    my ($record) = ledger($payment, 'show', $transaction);
    $record->{state} eq 'claimed' or die "$gateway->{name}: the claim is $record->{state}\n";
    # A repetition with the same key is safe, whatever the gateway has. At the others, a person looks in the gateway's
    # books before the payment is sent again.
    return "$known; a person found it" if !$gateway->{has_keys} && $payment->books;
    send_again($payment, $has);
    ask($payment, $has eq 'refusal' ? $answers->{declined} : $settled);
    return $gateway->{has_keys} ? "$known; repeated" : "$known; a person found nothing, sent again";
}

# The customer pays again, with another token. In the same slot the key is the same, so that nothing is charged twice; a
# refusal closes the slot, and the next one has another reference and key, so that the gateway decides again.
sub tap_again {
    my ($payment, $has) = @_;
    my ($gateway, $answers) = ($payment->{gateway}, $payment->{gateway}{answers});
    return unless $gateway->{has_keys} || $has eq 'refusal';
    $payment->tap();
    if ($has eq 'refusal') {
        $payment->{reference} .= '.r2';
        delete $payment->{id};
        $payment->prepare();
    }
    my @claim = claim($payment);
    $payment->expect('payment', $answers->{$has eq 'refusal' ? 'decline' : 'tapped'});
    finish_claim($payment, 'confirm', @claim);
}

sub recover {
    my ($payment, $point) = @_;
    my $gateway = $payment->{gateway};
    my ($name, $amount, $has) = @{$points[$point]};
    # The shop stored the transaction, unless it was killed before.
    my ($transaction, $serial) = $point > $claimed ? split(' ', contents("$payment->{folder}/stored")) : ();
    # Open claims come after a line about the ledger.
    my (undef, @open) = ledger($payment, 'show');
    my $is_open = @open == 1 && $open[0]{state} eq 'claimed'
        && (!defined $transaction || $open[0]{transactionId} eq $transaction && $open[0]{serial} eq $serial);
    $is_open == ($point < $confirmed) && @open == $is_open
        or die "$gateway->{name}, killed $name: open claims are not as expected\n";
    my @expected = $has ne 'payment' ? () : $gateway->{only_reserves} ? ($amount, 0, 0) : (0, $amount, 0);
    $payment->expect_books(@expected);
    my $done = 'nothing to do';
    if (!defined $transaction) {
        # The shop stores it before it charges, so nothing was sent: the claim is released, and the token can be used.
        finish_claim($payment, 'release', @{$open[0]}{'transactionId', 'serial'});
        ($transaction, $serial) = claim($payment);
        send_again($payment, $has);
        finish_claim($payment, 'confirm', $transaction, $serial);
        $done = 'not stored; released, paid';
    } elsif ($is_open) {
        $done = settle($payment, $transaction, $has) . '; confirmed';
        finish_claim($payment, 'confirm', $transaction, $serial);
    }
    tap_again($payment, $has);
    @expected = $gateway->{only_reserves} ? ($amount, 0, 0) : (0, $amount, 0) if $has ne 'refusal';
    $payment->expect_books(@expected);
    ask($payment, $has eq 'refusal' ? $gateway->{answers}{declined}
        : $gateway->{answers}{settled} // $gateway->{answers}{payment});
    my ($record) = ledger($payment, 'show', $transaction);
    $record->{state} eq 'confirmed' or die "$gateway->{name}, killed $name: the claim is $record->{state}\n";
    (undef, @open) = ledger($payment, 'show');
    @open == 0 or die "$gateway->{name}, killed $name: a claim is open\n";
    print "$gateway->{name}, killed $name: " . ($is_open ? 'claimed' : 'confirmed') . ", $done\n";
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
my @gateways = grep { !$_->{is_card} } @Shop::gateways;
for my $gateway (@gateways) {
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
print "\nkilled at " . @points . ' points with ' . @gateways
    . " gateways: by the gateways' books, every order that was not refused is charged once\n";
