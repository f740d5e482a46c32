# A shop that pays at gateway-sandbox with the built command and curl, and the gateways that it pays through.
package Shop;
use strict;
use warnings;
use Cwd 'abs_path';
use File::Basename 'dirname';
use File::Temp 'tempdir';
use JSON::PP;
use lib dirname(__FILE__);
use Claims qw(spawn finish contents write_file);

# The exit status of `paytoken answer` for each outcome; see the page Outcomes.
our %exit = (paid => 0, authorized => 0, refused => 1, pending => 4, 'action-required' => 4, unknown => 5);

our ($work, $paytoken, $origin, $sandbox);
my ($programs, $payments) = ('', 0);

# Takes the folder of the programs; starts the sandbox and creates a PKI for tokens.
sub open_for_business {
    $programs = abs_path(shift // die "usage: $0 FOLDER-OF-PROGRAMS\n");
    $paytoken = "$programs/paytoken";
    $work = tempdir(CLEANUP => 1);
    # The sandbox accepts every merchant with this secret; those of CyberSource are written in base64.
    @ENV{'SHOP_SECRET', 'SHOP_SECRET_BASE64'} = ('sandbox-secret', 'c2FuZGJveC1zZWNyZXQ=');
    pipe my $reader, my $writer or die $!;
    $sandbox = spawn(["$programs/gateway-sandbox", '--port', '0'], out => $writer);
    close $writer;
    chomp($origin = <$reader> // die 'the sandbox does not start');
    write_to("$work/notes", "$programs/paytoken-testing", 'pki', '--out', "$work/pki") == 0 or die 'there is no PKI';
}

# Ends the sandbox.
sub close_down {
    kill 'TERM', $sandbox;
    finish($sandbox);
}

# Runs a program with its output in a new file, and returns its exit status.
sub write_to {
    my ($file, @words) = @_;
    unlink $file;
    return finish(spawn(\@words, out => $file, err => "$file.err"));
}

# Begins to pay an order of an amount: with a new token, and a reference that no other order has.
sub new {
    my ($class, $gateway, $amount) = @_;
    my $number = "$$-" . ++$payments;
    my $self = bless {
        gateway => $gateway, amount => $amount, reference => "order-$number", folder => "$work/$number",
        order => ['--amount', $amount, '--currency', 'EUR'],
    }, $class;
    mkdir $self->{folder} or die $!;
    write_to("$self->{folder}/token", "$programs/paytoken-testing", 'token', '--pki', "$work/pki", '--for',
        "$work/pki/merchants/one.cert.pem", @{$self->{order}}) == 0 or die contents("$self->{folder}/token.err");
    return $self;
}

# The words for a step with the token: the token, what opens it, and the order that it must pay for.
sub token {
    my $self = shift;
    return ("$self->{folder}/token", '--keys', "$work/pki/merchants", '--test-trust-anchor', "$work/pki/root.pem",
        @{$self->{order}});
}

# The words that name what was paid, for captures and refunds.
sub authorized {
    my $self = shift;
    return ('--authorized-amount', $self->{amount}, '--currency', 'EUR');
}

# The words that create the request of a step for curl; the step is named in the gateways' table.
sub request {
    my ($self, $name) = @_;
    my ($step, @options) = $self->{gateway}{$name}->($self);
    $ENV{SHOP_ACCESS_TOKEN} = $self->{access} // 'sandbox-secret';
    return ($step, $paytoken, 'request', $self->{gateway}{name}, '--step', $step, @options, '--origin', $origin,
        '--curl');
}

# Sends a step's request with curl, which reads it from standard input, and returns what `paytoken answer` concludes.
# Words after the name are for curl, which is expected to end with 0, or with 28 if it is given a time limit.
sub send {
    my ($self, $name, @limit) = @_;
    my ($step, @request) = $self->request($name);
    my $answer = "$self->{folder}/answer";
    unlink $answer;
    pipe my $reader, my $writer or die $!;
    my $maker = spawn(\@request, out => $writer, err => "$answer.request");
    my $curl = spawn(['curl', '-q', '-i', '--config', '-', @limit], in => $reader, out => $answer, err => "$answer.curl");
    close $_ for $reader, $writer;
    finish($maker) == 0 or die "$self->{gateway}{name} $step: " . contents("$answer.request");
    my $status = finish($curl);
    $status == (@limit ? 28 : 0) or die "$self->{gateway}{name} $step: curl ended with $status";
    $self->{body} = contents($answer) =~ s/^.*?\r\n\r\n//sr;
    return $self->answer($step);
}

# Reads the answer to a step: its outcome, the gateway's word, and the exit status.
sub answer {
    my ($self, $step) = @_;
    my $file = "$self->{folder}/outcome";
    my @words = ('answer', $self->{gateway}{name}, '--step', $step, @{$self->{order}}, "$self->{folder}/answer");
    my $status = write_to($file, $paytoken, @words);
    my $answer = decode_json(contents($file));
    $answer->{exit} = $status;
    return $answer;
}

# Sends a step, and checks outcome, gateway's word and exit status, which are written as in `paid CAPTURED`.
sub expect {
    my ($self, $name, $expected, @limit) = @_;
    my $answer = $self->send($name, @limit);
    my $line = "$self->{gateway}{name} $answer->{step}, amount $self->{amount}";
    my $found = "$answer->{outcome} " . ($answer->{status} // '-');
    $found eq $expected or die "$line: $found in place of $expected\n$self->{body}\n";
    $answer->{exit} == $exit{$answer->{outcome}} or die "$line: exit $answer->{exit} after $answer->{outcome}";
    $answer->{gateway} eq $self->{gateway}{name} or die "$line: the answer names $answer->{gateway}";
    push @{$self->{course}}, "$answer->{step}: $found";
    return $answer;
}

# Finds an identifier in the last answer.
sub find {
    my ($self, $pattern) = @_;
    return $self->{body} =~ $pattern ? $1 : die "$self->{gateway}{name}: $pattern is not in $self->{body}";
}

# Sends what comes before the payment.
sub prepare {
    my $self = shift;
    for my $step (@{$self->{gateway}{before} // []}) {
        my ($name, $expected, $identifier, $pattern) = @$step;
        $self->expect($name, $expected);
        $self->{$identifier} = $self->find($pattern) if $identifier;
        write_file("$self->{folder}/$name", $self->{body});
    }
}

# Sends what comes before the payment, then the payment itself.
sub pay {
    my ($self, $expected, @limit) = @_;
    $self->prepare();
    my $answer = $self->expect('payment', $expected, @limit);
    my $id = $self->{gateway}{id};
    $self->{id} //= $1 if $id && $self->{body} =~ $id;
    return $answer;
}

# The address at which the customer ends a payment is opened.
sub visit {
    my ($self, $url) = @_;
    write_to("$self->{folder}/page", 'curl', '-q', '-s', '-f', $url) == 0 or die "$url cannot be opened";
}

# The gateways. Each step is a name and the words after it; `before` has the steps that come before the payment, with
# what they are expected to answer and the identifier to be found in the answer. `answers` has outcome and gateway's word
# for the payment, for the follow-ups in order, and for questions: `settled` after a success, `returned` after a refund.
our @gateways = (worldline('worldline-direct', 'CAPTURED'), worldline('worldline-connect', 'PAID'), bepaid(), dintero(),
    rbs(), intergiro(), cybersource(), checkout(), adyen(), paypal());

sub worldline {
    my ($name, $captured) = @_;
    my @account = qw(--worldline-merchant-id shop --api-key-id key-1 --secret-api-key-env SHOP_SECRET);
    my $payment = sub {
        my $self = shift;
        return ('payment', $self->token, @account, '--authorization-mode', 'SALE', '--merchant-reference',
            $self->{reference}, '--idempotence-key', $self->{reference});
    };
    return {
        name => $name, payment => $payment, id => qr/"payment":\{"id":"([^"]+)"/,
        # Without an answer the identifier is not known: then the same request with the same key is the question.
        question => sub {
            my $self = shift;
            return $self->{id} ? ('get-payment', @account, '--payment-id', $self->{id}) : $payment->($self);
        },
        refund => sub {
            my $self = shift;
            return ('refund', @account, '--payment-id', $self->{id}, $self->authorized);
        },
        answers => {
            payment => "paid $captured", follow_ups => [[refund => 'pending REFUND_REQUESTED']],
            returned => 'refused REFUNDED', repeated => "paid $captured", decline => 'refused REJECTED',
            declined => 'refused REJECTED', action => 'action-required REDIRECTED', waiting => 'pending REDIRECTED',
            duplicate => 'unknown -',
        },
    };
}

sub bepaid {
    my @shop = qw(--shop-id 361 --secret-key-env SHOP_SECRET);
    return {
        name => 'bepaid', id => qr/"uid":"([^"]+)"/,
        payment => sub {
            my $self = shift;
            return ('payment', $self->token, @shop, '--description', 'Order', '--tracking-id', $self->{reference},
                '--request-id', $self->{reference});
        },
        question => sub { ('status', @shop, '--tracking-id', shift->{reference}) },
        refund => sub {
            my $self = shift;
            return ('refund', @shop, '--uid', $self->{id}, $self->authorized, '--reason', 'returned');
        },
        answers => {
            payment => 'paid successful', follow_ups => [[refund => 'paid successful']],
            returned => 'refused successful', repeated => 'paid successful', decline => 'refused failed',
            declined => 'refused failed', action => 'action-required incomplete',
            waiting => 'action-required incomplete', duplicate => 'refused error',
        },
    };
}

sub dintero {
    my @access = qw(--access-token-env SHOP_ACCESS_TOKEN);
    my $operation = sub {
        my $step = shift;
        return sub {
            my $self = shift;
            return ($step, @access, '--transaction-id', $self->{transaction}, $self->authorized);
        };
    };
    return {
        name => 'dintero',
        before => [
            ['session', 'pending -', session => qr/"id":"([^"]+)"/], ['operations', 'pending -'],
            ['submission', 'pending -', transaction => qr/"transaction_id":"([^"]+)"/],
        ],
        session => sub {
            my $self = shift;
            return ('session', @access, @{$self->{order}}, '--return-url', 'https://shop.example/r',
                '--merchant-reference', $self->{reference});
        },
        operations => sub { ('operations', '--session-id', shift->{session}) },
        submission => sub {
            my $self = shift;
            return ('payment', '--encrypted', $self->token, '--operations', "$self->{folder}/operations",
                '--reference', $self->{reference});
        },
        payment => sub {
            my $self = shift;
            return ('pay', '--session-id', $self->{session}, '--psp-transaction-id', $self->{transaction});
        },
        question => sub { ('get-transaction', @access, '--transaction-id', shift->{transaction}) },
        capture => $operation->('capture'), refund => $operation->('refund'),
        answers => {
            payment => 'authorized success: true', settled => 'authorized AUTHORIZED',
            follow_ups => [[capture => 'paid CAPTURED'], [refund => 'paid REFUNDED']],
            returned => 'refused REFUNDED', repeated => 'unknown -', decline => 'refused success: false',
            declined => 'refused DECLINED', action => 'action-required -', waiting => 'pending INITIATED',
            duplicate => 'unknown -',
        },
    };
}

sub rbs {
    my @user = qw(--user-name shop --password-env SHOP_SECRET);
    return {
        name => 'rbs', id => qr/"orderId":"([^"]+)"/,
        payment => sub {
            my $self = shift;
            return ('payment', $self->token, @user, '--order-number', $self->{reference});
        },
        question => sub { ('order-status', @user, '--order-number', shift->{reference}) },
        refund => sub {
            my $self = shift;
            return ('refund', @user, '--order-id', $self->{id}, $self->authorized);
        },
        answers => {
            payment => 'paid 2', follow_ups => [[refund => 'paid 0']], returned => 'refused 4',
            repeated => 'unknown -', decline => 'refused 6', declined => 'refused 6', action => 'action-required 5',
            waiting => 'pending 5', duplicate => 'unknown -',
        },
    };
}

# No money moves: a card is added to the customer's wallet, once they have consented. There is nothing to ask or to
# refund, and the number at the end of the card's identifier is what amounts are elsewhere.
sub intergiro {
    my @access = qw(--access-token-env SHOP_ACCESS_TOKEN);
    return {
        name => 'intergiro', id => qr/"id":"([^"]+)"/,
        before => [['login', 'pending -', access => qr/"access_token":"([^"]+)"/]],
        login => sub { qw(login --api-key-env SHOP_SECRET) },
        payment => sub { ('tokenize', @access, '--card-id', 'card-' . shift->{amount}) },
        consent => sub { ('consent', @access, '--consent-id', shift->{id}, '--return-url', 'https://shop.example/r') },
        answers => {
            payment => 'pending pending', follow_ups => [[consent => 'action-required -']], decline => 'unknown -',
            duplicate => 'unknown -',
        },
    };
}

sub cybersource {
    return {
        name => 'cybersource',
        payment => sub {
            my $self = shift;
            return ('payment', $self->token, qw(--cybersource-merchant-id shop --api-key-id key-1),
                qw(--shared-secret-env SHOP_SECRET_BASE64 --code), $self->{reference});
        },
        answers => { payment => 'authorized AUTHORIZED', decline => 'refused DECLINED' },
    };
}

# The others are asked by the same request with the same key.
sub checkout {
    my $payment = sub {
        my $self = shift;
        return ('payment', $self->token, qw(--secret-key-env SHOP_SECRET --idempotency-key), $self->{reference},
            '--reference', $self->{reference});
    };
    return {
        name => 'checkout', payment => $payment, question => $payment,
        answers => { payment => 'authorized Authorized', decline => 'refused Declined' },
    };
}

sub adyen {
    my $payment = sub {
        my $self = shift;
        return ('payment', $self->token, qw(--api-key-env SHOP_SECRET --merchant-account Shop --return-url),
            'https://shop.example/r', '--idempotency-key', $self->{reference}, '--reference', $self->{reference});
    };
    return {
        name => 'adyen', payment => $payment, question => $payment,
        answers => { payment => 'authorized Authorised', decline => 'refused Refused' },
    };
}

sub paypal {
    my $payment = sub {
        my $self = shift;
        return ('payment', $self->token, qw(--access-token-env SHOP_ACCESS_TOKEN --request-id), $self->{reference});
    };
    return {
        name => 'paypal', payment => $payment, question => $payment,
        before => [['login', 'pending -', access => qr/"access_token":"([^"]+)"/]],
        login => sub { qw(access-token --client-id shop --client-secret-env SHOP_SECRET) },
        answers => { payment => 'paid COMPLETED', decline => 'refused -' },
    };
}

1;
