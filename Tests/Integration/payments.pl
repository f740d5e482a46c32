#!/usr/bin/env perl
# From a token to `paid` and on to a refund, through every gateway of gateway-sandbox with the built command and curl:
# also when the bank declines, the customer must act, the answer does not come, and a payment is sent twice. Takes the
# folder of the programs.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Claims qw(finish);
use POSIX ();
use Shop;

# Pays, captures if the gateway needs that, refunds, and asks the gateway in between.
sub success {
    my ($payment, $answers) = @_;
    $payment->pay($answers->{payment});
    my $settled = $answers->{settled} // $answers->{payment};
    $payment->expect('question', $settled) if $answers->{returned};
    # A payment that is sent a second time is not made a second time.
    $payment->expect('payment', $answers->{repeated}) if $answers->{repeated};
    for my $step (@{$answers->{follow_ups} // []}) {
        my $answer = $payment->expect(@$step);
        $payment->visit($answer->{url}) if $answer->{outcome} eq 'action-required';
    }
    $payment->expect('question', $answers->{returned}) if $answers->{returned};
}

sub decline {
    my ($payment, $answers) = @_;
    $payment->pay($answers->{decline});
    $payment->expect('question', $answers->{declined}) if $answers->{declined};
}

sub customer {
    my ($payment, $answers) = @_;
    my $answer = $payment->pay($answers->{action});
    $payment->expect('question', $answers->{waiting});
    $payment->visit($answer->{url});
    $payment->expect('question', $answers->{settled} // $answers->{payment});
}

# The answer never comes, so the outcome is unknown until the gateway is asked.
sub time_out {
    my ($payment, $answers) = @_;
    $payment->pay('unknown -', '--max-time', '0.5');
    $payment->expect('question', $answers->{settled} // $answers->{payment}) if $payment->{gateway}{question};
}

sub duplicate {
    my ($payment, $answers) = @_;
    $payment->pay($answers->{duplicate});
}

# The courses, with the amounts for which the sandbox plays them, and the member of `answers` that they need.
my @courses = (
    [71_929, \&success, 'payment'], [40_200, \&decline, 'decline'], [30_300, \&customer, 'action'],
    [40_800, \&time_out, 'payment'], [40_900, \&duplicate, 'duplicate'],
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
print "\n" . @Shop::gateways . " gateways: every outcome, gateway's word and exit status is as expected\n";
