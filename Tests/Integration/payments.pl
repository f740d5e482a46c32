#!/usr/bin/env perl
# From a token to the refund, through every gateway of gateway-sandbox with the built command and curl: captures,
# cancellations and refunds of parts, declines, customers who must act, answers that do not come, payments that are sent
# twice. After every step the order's outcome is compared with the sandbox's books. Takes the folder of the programs.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Claims qw(finish);
use POSIX ();
use Shop;

use constant PART => 20_000;

# Asks the gateway, if it can be asked at this time: by the order's reference, or by an identifier that an answer named.
sub ask {
    my ($payment, $expected) = @_;
    my $gateway = $payment->{gateway};
    return unless $gateway->{question} && $expected && ($gateway->{by_reference} || $payment->{id});
    $payment->expect('search', $expected) if $gateway->{search};
    return $payment->expect('question', $expected);
}

# Pays, sends the payment again, also with another token of the customer, and refunds a part and the rest.
sub success {
    my ($payment, $answers) = @_;
    my ($gateway, $amount) = @{$payment}{'gateway', 'amount'};
    my $answer = $payment->pay($answers->{payment});
    if ($gateway->{is_card}) {
        $payment->{consent} = $answer->{consentId};
        $payment->visit($payment->expect('consent', $answers->{consent})->{url});
        return;
    }
    my @booked = $gateway->{only_reserves} ? ($amount, 0, 0) : (0, $amount, 0);
    $payment->expect_books(@booked);
    $payment->expect_no_other_order('payment') if $answers->{payment} =~ /^(paid|authorized)/;
    my $settled = $answers->{settled} // $answers->{payment};
    $payment->expect_no_other_order('question') if ask($payment, $settled);
    $payment->expect('look', $answers->{looked}) if $gateway->{look};
    # A payment that is sent a second time is not made a second time, and neither is one with another token.
    $payment->expect('payment', $answers->{repeated}) if $answers->{repeated};
    if ($answers->{tapped}) {
        $payment->tap();
        $payment->expect('payment', $answers->{tapped});
    }
    ask($payment, $settled);
    $payment->expect_books(@booked);
    refund($payment, $answers) if $gateway->{refund} && !$gateway->{only_reserves};
}

# Refunds a part and the rest of what is captured: of one payment, or of the captures with these identifiers. The first
# question finds done what was requested.
sub refund {
    my ($payment, $answers, @captures) = @_;
    my $amount = $payment->{amount};
    $payment->{capture} = $captures[0];
    $payment->operate('refund', $answers->{part_refund}, 'refund-1', PART);
    # The same name is the same operation, but Dintero keeps no keys.
    my $keeps = $payment->{gateway}{has_keys} || $payment->{gateway}{keeps_refunds};
    $payment->operate('refund', $answers->{part_refund}, 'refund-1', PART) if $keeps;
    ask($payment, $answers->{refunded_part});
    $payment->expect_books(0, $amount, PART);
    $payment->{capture} = $captures[-1] if @captures;
    $payment->operate('refund', $answers->{rest_refund}, 'refund-2', $amount - PART);
    ask($payment, $answers->{returned});
    $payment->expect_books(0, $amount, $amount);
}

# Reserves the amount, captures a part and the rest, and refunds all of it.
sub reservation {
    my ($payment, $answers) = @_;
    my $amount = $payment->{amount};
    reserve($payment, $answers);
    my $first = $payment->operate('capture', $answers->{part_capture}, 'capture-1', PART);
    ask($payment, $answers->{captured_part});
    # At RBS, the capture of a part releases the rest.
    return $payment->expect_books(0, PART, 0) if $payment->{gateway}{is_final};
    $payment->expect_books($amount - PART, PART, 0);
    my $second = $payment->operate('capture', $answers->{rest_capture}, 'capture-2', $amount - PART);
    ask($payment, $answers->{captured});
    $payment->expect_books(0, $amount, 0);
    refund($payment, $answers, $first->{operationId}, $second->{operationId});
}

# Captures at once all that is reserved, and refunds it.
sub capture {
    my ($payment, $answers) = @_;
    my $amount = $payment->{amount};
    reserve($payment, $answers);
    my $captured = $payment->operate('capture', $answers->{whole_capture} // $answers->{rest_capture}, 'capture-1');
    ask($payment, $answers->{captured} // $answers->{payment});
    $payment->expect_books(0, $amount, 0);
    refund($payment, $answers, $captured->{operationId});
}

sub cancellation {
    my ($payment, $answers) = @_;
    reserve($payment, $answers);
    $payment->operate('cancel', $answers->{cancel}, 'cancel-1');
    ask($payment, $answers->{cancelled});
    $payment->expect_books(0, 0, 0);
}

sub reserve {
    my ($payment, $answers) = @_;
    $payment->prepare();
    if ($payment->{gateway}{reserves}) {
        $payment->reserve();
        $payment->expect('payment', $answers->{reserve} // $answers->{reserved});
    } else {
        $payment->expect('payment', $answers->{payment});
    }
    ask($payment, $answers->{reserved});
    $payment->expect_books($payment->{amount}, 0, 0);
}

sub decline {
    my ($payment, $answers) = @_;
    $payment->pay($answers->{decline});
    ask($payment, $answers->{declined});
    $payment->expect_books() unless $payment->{gateway}{is_card};
}

# The customer must act first; they confirm in one course, and decline in the other.
sub customer {
    my ($payment, $answers, $decision) = @_;
    my $answer = $payment->pay($answers->{action});
    return unless $answer->{url};
    ask($payment, $answers->{waiting});
    $payment->expect_books();
    $payment->visit($answer->{url}, $decision);
    if ($decision eq 'decline') {
        ask($payment, $answers->{denied});
        return $payment->expect_books();
    }
    ask($payment, $answers->{confirmed} // $answers->{settled} // $answers->{payment});
    $payment->expect('finish', $answers->{finished}) if $answers->{finished};
    my @booked = $payment->{gateway}{only_reserves} ? ($payment->{amount}, 0, 0) : (0, $payment->{amount}, 0);
    $payment->expect_books(@booked);
}

sub confirmation { customer(@_, 'confirm') }
sub denial { customer(@_, 'decline') }

# The gateway has not decided yet; it has when it is asked.
sub progress {
    my ($payment, $answers) = @_;
    $payment->pay($answers->{progress});
    ask($payment, $answers->{settled} // $answers->{payment});
}

# The gateway books the payment, and its answer never comes, or another server's comes: the outcome is unknown until the
# gateway is asked. Where it cannot be asked, the same request with the same key gets the first answer.
sub lost_answer {
    my ($payment, $answers) = @_;
    my $is_silent = $payment->{amount} == 40_800;
    $payment->pay('unknown -', $is_silent ? ('--max-time', '0.5') : ());
    return if $payment->{gateway}{is_card};
    my $gateway = $payment->{gateway};
    if ($gateway->{has_keys} && !$gateway->{by_reference}) {
        $payment->expect('payment', $answers->{repeated});
    }
    ask($payment, $answers->{settled} // $answers->{payment});
    my @booked = $gateway->{only_reserves} ? ($payment->{amount}, 0, 0) : (0, $payment->{amount}, 0);
    $payment->expect_books(@booked);
}

# The gateway never gets the request; that it does not have the payment is no reason to charge again.
sub lost_request {
    my ($payment, $answers) = @_;
    $payment->pay('unknown -', '--max-time', '0.5');
    ask($payment, $answers->{absent});
    $payment->expect_books() unless $payment->{gateway}{is_card};
}

sub failure {
    my ($payment, $answers) = @_;
    my %names = (40_900 => 'duplicate', 50_000 => 'error', 50_300 => 'unavailable');
    $payment->pay($answers->{$names{$payment->{amount}}});
    ask($payment, $answers->{absent});
    $payment->expect_books() unless $payment->{gateway}{is_card};
}

sub chargeback {
    my ($payment, $answers) = @_;
    $payment->pay($answers->{payment});
    $payment->expect_books(0, $payment->{amount}, 0);
    my $answer = ask($payment, $answers->{charged_back});
    ($answer->{cause} // '') eq 'chargeback' or die "$payment->{gateway}{name}: the cause is not a chargeback\n";
    $payment->expect_books(0, $payment->{amount}, $payment->{amount});
}

# The bank approves the half, which does not pay the order.
sub part {
    my ($payment, $answers) = @_;
    my ($amount, $half) = ($payment->{amount}, $payment->{amount} / 2);
    $payment->pay($answers->{part});
    ask($payment, $answers->{parted} // $answers->{part});
    my $reserves = $payment->{gateway}{only_reserves};
    $payment->expect_books($reserves ? ($half, 0, 0) : (0, $half, 0));
}

# A capture that takes until the second question: until then, nothing is paid.
sub slow {
    my ($payment, $answers) = @_;
    reserve($payment, $answers);
    $payment->operate('capture', $answers->{slow_capture}, 'capture-1');
    $payment->expect('question', $answers->{slow_waiting});
    $payment->expect_books(0, 0, 0);
    $payment->expect('question', $answers->{captured});
    $payment->expect_books(0, $payment->{amount}, 0);
}

# An undocumented word is unknown, until the gateway is asked.
sub word {
    my ($payment, $answers) = @_;
    $payment->pay($answers->{word});
    ask($payment, $answers->{settled} // $answers->{payment});
}

# The courses, with the amounts for which the sandbox plays them, and the member of `answers` that they need.
my @courses = (
    [71_929, \&success, 'payment'], [71_930, \&reservation, 'part_capture'], [71_931, \&capture, 'part_capture'],
    [71_932, \&cancellation, 'cancel'], [40_200, \&decline, 'decline'], [30_300, \&confirmation, 'action'],
    [30_300, \&denial, 'denied'], [20_200, \&progress, 'progress'], [40_800, \&lost_answer, 'payment'],
    [50_200, \&lost_answer, 'payment'], [40_801, \&lost_request, 'payment'], [40_900, \&failure, 'duplicate'],
    [50_000, \&failure, 'error'], [50_300, \&failure, 'unavailable'], [60_100, \&chargeback, 'charged_back'],
    [60_200, \&part, 'part'], [60_300, \&slow, 'slow_capture'], [60_400, \&word, 'word'],
);

sub courses {
    my $gateway = shift;
    my $answers = $gateway->{answers};
    for my $course (@courses) {
        my ($amount, $run, $needed) = @$course;
        next unless $answers->{$needed};
        my $payment = Shop->new($gateway, $amount);
        $run->($payment, $answers);
        print "$gateway->{name}, $amount: " . join(', ', @{$payment->{course}}) . "\n";
    }
}

Shop::open_for_business(@ARGV);
$| = 1;
my %running;
for my $gateway (@Shop::gateways) {
    my $process = fork // die $!;
    if (!$process) {
        # The parent ends the sandbox and removes the files.
        $SIG{__DIE__} = sub { print STDERR @_; POSIX::_exit(1) };
        courses($gateway);
        POSIX::_exit(0);
    }
    $running{$process} = $gateway->{name};
}
my @failed = grep { finish($_) != 0 } keys %running;
Shop::close_down();
die 'these gateways failed: ' . join(', ', sort map { $running{$_} } @failed) . "\n" if @failed;
print "\n" . @Shop::gateways . " gateways: every outcome, gateway's word and exit status is as expected,"
    . " and agrees with the gateway's books\n";
