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

# The exit status of `paytoken answer` for each state of an order and of an operation; see the page Outcomes.
our %exit = (
    paid => 0, done => 0, refused => 1, returned => 1, failed => 3, pending => 4, 'action-required' => 4,
    returning => 4, browser => 4, unknown => 5, authorized => 6, 'partly-authorized' => 6, 'partly-paid' => 6,
    'partly-returned' => 6,
);

# The members of an answer that state amounts.
my @amounts = qw(ordered authorized captureRequested captured refundRequested refunded operationAmount);

our ($work, $paytoken, $origin, $sandbox);
# The folder of the sandbox's gateway files.
my $files;
my ($programs, $payments) = ('', 0);

# Takes the folder of the programs; starts the sandbox and creates a PKI for tokens.
sub open_for_business {
    $programs = abs_path(shift // die "usage: $0 FOLDER-OF-PROGRAMS\n");
    $paytoken = "$programs/paytoken";
    $work = tempdir(CLEANUP => 1);
    $files = "$work/gateways";
    pipe my $reader, my $writer or die $!;
    $sandbox = spawn(["$programs/gateway-sandbox", '--port', '0', '--files', $files], out => $writer);
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
        file => "$files/$gateway->{name}.json", price => ['--amount', $amount, '--currency', 'EUR'],
    }, $class;
    mkdir $self->{folder} or die $!;
    $self->tap();
    return $self;
}

# The customer pays again: with another token for the same order.
sub tap {
    my $self = shift;
    write_to("$self->{folder}/token", "$programs/paytoken-testing", 'token', '--pki', "$work/pki", '--for',
        "$work/pki/merchants/one.cert.pem", @{$self->{price}}) == 0 or die contents("$self->{folder}/token.err");
}

# The words for a step with the token: the token, and what opens it.
sub token {
    my $self = shift;
    return ("$self->{folder}/token", '--keys', "$work/pki/merchants", '--test-trust-anchor', "$work/pki/root.pem");
}

# The words for a step with the access token that a login gave.
sub access {
    my $self = shift;
    $ENV{SHOP_ACCESS_TOKEN} = $self->{access} // 'sandbox-secret';
    return qw(--access-token-env SHOP_ACCESS_TOKEN);
}

# The words that name an operation on the payment: its name, and the part if it is not all of the order.
sub operation {
    my $self = shift;
    return ('--operation', $self->{operation}, defined $self->{part} ? ('--amount', $self->{part}) : ());
}

# Writes a file with the order, or with a change of it, and returns the words that name the file.
sub order {
    my ($self, %changes) = @_;
    my $file = "$self->{folder}/order.json";
    my %order = (
        reference => $self->{reference}, amount => $self->{amount}, currency => 'EUR', description => 'Order',
        returnURL => 'https://shop.example/r', %changes,
    );
    write_file($file, encode_json(\%order));
    return ('--order', $file);
}

# Writes the gateway file with members of a group changed, and returns the new file.
sub account {
    my ($self, $group, $members) = @_;
    my $account = decode_json(contents($self->{file}));
    $account->{$group} = {%{$account->{$group} // {}}, %$members};
    my $file = "$self->{folder}/$group.json";
    write_file($file, encode_json($account));
    return $file;
}

# Has the gateway only reserve the amounts of payments.
sub reserve {
    my $self = shift;
    $self->{file} = $self->account('payment', $self->{gateway}{reserves});
}

# The words that create the request of a step for curl; the step is named in the gateways' table.
sub request {
    my ($self, $name) = @_;
    my ($step, @options) = $self->{gateway}{$name}->($self);
    my @order = $self->{gateway}{is_card} || $step eq 'login' ? () : $self->order;
    return ($step, $paytoken, 'request', $step, @options, '--gateway', $self->{file}, @order, '--curl');
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

# The words with which the answer to a step is compared: the order, and the operation.
sub compared {
    my ($self, $step) = @_;
    return () if $self->{gateway}{is_card};
    return ($self->order, $step =~ /^(capture|cancel|refund)$/ ? $self->operation : ());
}

# Reads the answer to a step: its outcome, the gateway's word, and the exit status.
sub answer {
    my ($self, $step) = @_;
    my $file = "$self->{folder}/outcome";
    my $status = write_to($file, $paytoken, 'answer', $step, '--gateway', $self->{file}, $self->compared($step),
        "$self->{folder}/answer");
    my $text = contents($file) || die "$self->{gateway}{name} $step: " . contents("$file.err");
    my $answer = decode_json($text);
    $answer->{exit} = $status;
    return $answer;
}

# Expects the last answer to be unknown if it is compared with another order: another reference, amount or currency, or,
# where an answer states that the payment is a test, if it is read for a live account.
sub expect_no_other_order {
    my ($self, $name) = @_;
    my ($step) = $self->{gateway}{$name}->($self);
    my $live = $self->{gateway}{live};
    my @others = (
        {reference => "$self->{reference}x"}, {reference => "$self->{reference}.r2"}, {amount => $self->{amount} - 1},
        {amount => $self->{amount} + 1}, {currency => 'USD'}, $live ? {} : (),
    );
    for my $change (@others) {
        my $file = %$change ? $self->{file} : $self->account('account', $live);
        my $status = write_to("$self->{folder}/other", $paytoken, 'answer', $step, '--gateway', $file,
            $self->order(%$change), "$self->{folder}/answer");
        my $outcome = decode_json(contents("$self->{folder}/other"))->{outcome};
        # Where an approval may be of a part, an answer states the approved amount only.
        my $may_be_part = $self->{gateway}{answers}{part} && ($change->{amount} // 0) > $self->{amount};
        my $expected = $may_be_part && $outcome =~ /^partly-(authorized|paid)$/ ? $outcome : 'unknown';
        $outcome eq $expected && $status == $exit{$outcome}
            or die "$self->{gateway}{name} $step, read as " . encode_json($change) . ": $outcome, exit $status\n";
    }
}

# The payments of the order in the gateway's own books.
sub books {
    my $self = shift;
    my $file = "$self->{folder}/books";
    write_to($file, 'curl', '-q', '-s', '-f', "$origin/sandbox/payments") == 0 or die 'the books cannot be read';
    return grep { ($_->{reference} // '') eq $self->{reference} } @{decode_json(contents($file))};
}

# Sends a step, and checks outcome, gateway's word and exit status, which are written as in `paid CAPTURED`. Compares what
# the answer states with the order and with the gateway's books.
sub expect {
    my ($self, $name, $expected, @limit) = @_;
    my $answer = $self->send($name, @limit);
    my $line = "$self->{gateway}{name} $answer->{step}, amount $self->{amount}";
    my $state = $answer->{outcome} // $answer->{operation};
    my $found = "$state " . ($answer->{status} // '-');
    $found eq $expected or die "$line: $found in place of $expected\n" . encode_json($answer) . "\n$self->{body}\n";
    # The shop, and not the customer, can do something about what the operator has to repair.
    my $is_operator = $state eq 'refused' && ($answer->{origin} // '') eq 'operator';
    my $status = exists $answer->{outcome} && $is_operator ? 3 : $exit{$state};
    $answer->{exit} == $status or die "$line: exit $answer->{exit} after $state";
    $answer->{gateway} eq $self->{gateway}{name} or die "$line: the answer names $answer->{gateway}";
    push @{$self->{course}}, "$answer->{step}: $found";
    eval { $self->compare($answer, $state); 1 } or die "$line, $state: $@" . encode_json($answer) . "\n$self->{body}\n";
    return $answer;
}

# Compares an answer with the order, with earlier answers, and with the books, in which the order has one payment at most.
sub compare {
    my ($self, $answer, $state) = @_;
    my @books = $self->books;
    @books <= 1 or die 'the order was charged ' . @books . " times\n";
    my $entry = $books[0] // {};
    my ($authorized, $captured, $refunded) = map { $entry->{$_} // 0 } qw(authorized captured refunded);
    !@books || $entry->{requests} == 1 or die "the order was charged $entry->{requests} times\n";
    !@books || $entry->{currency} eq 'EUR' or die "the books have $entry->{currency}\n";
    if ($answer->{paymentId}) {
        $self->{id} //= $answer->{paymentId};
        $answer->{paymentId} eq $self->{id} or die "it is about another payment than $self->{id}\n";
    }
    my %stated = map { $_ => $answer->{$_} } grep { defined $answer->{$_} } @amounts;
    # What an answer does not state is not compared.
    my %right = (
        reference => $self->{reference}, currency => 'EUR',
        operationAmount => $self->{part} // $self->{amount},
    );
    for my $name (grep { defined $answer->{$_} } sort keys %right) {
        $answer->{$name} eq $right{$name} or die "$name is $answer->{$name} in place of $right{$name}\n";
    }
    return if exists $answer->{operation} || $state eq 'unknown';
    my %booked = (
        ordered => $self->{amount}, authorized => $authorized, captured => $captured, refunded => $refunded,
    );
    for my $name (grep { exists $booked{$_} } keys %stated) {
        # A part that is requested is in none of the books' amounts, and a total of 0 states nothing.
        my $requested = ($stated{captureRequested} // 0) + ($stated{refundRequested} // 0);
        abs($stated{$name} - $booked{$name}) <= $requested
            or die "$name is $stated{$name}, in the books $booked{$name}\n";
    }
    my ($held, $rest) = ($authorized + $captured, $captured - $refunded);
    # A capture that is requested and not done is in none of the books' amounts.
    my $is_whole = grep { $held + $_ == $self->{amount} } 0, $stated{captureRequested} // 0;
    my %holds = (
        paid => $rest == $self->{amount} && ($stated{captured} // 0) == $self->{amount} && !$authorized,
        authorized => $is_whole && !$refunded,
        'partly-authorized' => $held > 0 && $held < $self->{amount} && !$refunded,
        'partly-paid' => $captured > 0 && $captured < $self->{amount} && !$refunded,
        'partly-returned' => $captured > 0 && $refunded <= $captured,
        returned => !$authorized && !$rest, refused => !$held, 'action-required' => !@books,
    );
    $holds{$state} // 1 or die "in the books $authorized is authorized, $captured captured, $refunded refunded\n";
}

# Expects the books to have one payment of the order with these amounts: authorized, captured, refunded; or none.
sub expect_books {
    my ($self, @expected) = @_;
    my @found = map { join ' ', map { $_ // 'null' } @{$_}{qw(authorized captured refunded requests)} } $self->books;
    my $wanted = @expected ? join ' ', @expected, 1 : 'nothing';
    my $found = join(', ', @found) || 'nothing';
    $found eq $wanted or die "$self->{gateway}{name}, amount $self->{amount}: $found in the books in place of $wanted\n";
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

# Sends what comes before the payment, then the payment itself, or another step that reserves the amount.
sub pay {
    my ($self, $expected, @limit) = @_;
    $self->prepare();
    return $self->expect('payment', $expected, @limit);
}

# Captures, cancels or refunds under a name; a part, if an amount is given.
sub operate {
    my ($self, $name, $expected, $operation, $part) = @_;
    local @{$self}{qw(operation part)} = ($operation, $part);
    return $self->expect($name, $expected);
}

# The address at which the customer ends a payment is opened.
sub visit {
    my ($self, $url, $decision) = @_;
    $url .= "?decision=$decision" if $decision;
    write_to("$self->{folder}/page", 'curl', '-q', '-s', '-f', $url) == 0 or die "$url cannot be opened";
}

# The gateways. Each step is its name and the words after it: `payment`; `question`, which changes nothing and is asked by
# the order's reference if `by_reference` is true, else by the payment's identifier; operations. `reserves` are the members
# of a payment that only reserves the amount. `before` has the steps that come before the payment, with what they are
# expected to answer and the identifier to be found in the answer. `has_keys` means that a repeated request with the same
# key gets the first answer, and `keeps_refunds` that only refunds have keys; no key is stated, so the command derives it.
# `only_reserves` means that a payment is not captured at once, and `live` has the members of a live account. `answers`
# has outcome and gateway's word for each step of the courses in payments.pl; those of `question` end with -ed or -ing, and
# `settled` is that of a success if it differs.
our @gateways = (worldline('worldline-direct'), worldline('worldline-connect'), bepaid(), dintero(), rbs(), intergiro(),
    cybersource(), checkout(), adyen(), paypal());

# The steps that most gateways have.
sub payment_step {
    my $self = shift;
    return ('payment', $self->token);
}

sub search_step { 'search' }

sub status_step {
    my $self = shift;
    return ('status', '--payment-id', $self->{id});
}

# Returns capture, cancellation and refund.
sub operation_steps {
    my %options = @_;
    return map {
        my $step = $_;
        $step => sub {
            my $self = shift;
            my @access = $options{has_access} ? $self->access : ();
            return ($step, @access, '--payment-id', $self->{id}, $self->operation);
        };
    } qw(capture cancel refund);
}

sub worldline {
    my $name = shift;
    my $is_direct = $name eq 'worldline-direct';
    my $captured = $is_direct ? 'CAPTURED' : 'PAID';
    my $again = $is_direct ? 'pending CAPTURED' : 'paid PAID';
    return {
        name => $name, payment => \&payment_step, reserves => {authorizationMode => 'PRE_AUTHORIZATION'}, has_keys => 1,
        question => $is_direct ? \&status_step : \&search_step, by_reference => !$is_direct, look => \&status_step,
        operation_steps(),
        answers => {
            payment => "paid $captured",
            # Direct's kept answers have no totals.
            repeated => $again, tapped => $again, looked => "paid $captured",
            reserved => 'authorized PENDING_CAPTURE', part_capture => 'pending CAPTURE_REQUESTED',
            captured_part => 'partly-paid PENDING_CAPTURE',
            rest_capture => 'pending CAPTURE_REQUESTED', captured => "paid $captured",
            slow_capture => 'pending CAPTURE_REQUESTED', slow_waiting => 'authorized CAPTURE_REQUESTED',
            cancel => $is_direct ? 'pending CANCELLED' : 'done CANCELLED', cancelled => 'returned CANCELLED',
            part_refund => 'pending REFUND_REQUESTED', refunded_part => "partly-returned $captured",
            rest_refund => 'pending REFUND_REQUESTED', returned => 'returned REFUNDED',
            decline => 'refused REJECTED', declined => 'refused REJECTED', action => 'action-required REDIRECTED',
            waiting => 'pending REDIRECTED', denied => 'refused REJECTED', absent => 'unknown -',
            progress => 'pending AUTHORIZATION_REQUESTED',
            duplicate => 'unknown -', error => 'unknown -', unavailable => 'unknown -',
            word => 'unknown SANDBOX_WORD',
            $is_direct ? () : (charged_back => 'returned CHARGEBACKED'),
        },
    };
}

sub bepaid {
    # The refund of an authorization names its capture.
    my $refund = sub {
        my $self = shift;
        return ('refund', '--payment-id', $self->{capture} // $self->{id}, $self->operation, '--reason', 'returned');
    };
    return {
        name => 'bepaid', payment => \&payment_step, reserves => {kind => 'authorization'}, has_keys => 1,
        question => \&search_step, by_reference => 1, operation_steps(), refund => $refund,
        answers => {
            # The first answer is repeated for a day, so it has no totals.
            payment => 'pending successful', repeated => 'pending successful', tapped => 'pending successful',
            settled => 'paid successful', reserve => 'pending successful', reserved => 'authorized successful',
            part_capture => 'done successful', captured_part => 'partly-paid successful',
            rest_capture => 'done successful', captured => 'paid successful', slow_capture => 'pending pending', slow_waiting => 'authorized successful',
            cancel => 'done successful', cancelled => 'returned successful', part_refund => 'done successful',
            refunded_part => 'partly-returned successful', rest_refund => 'done successful',
            returned => 'returned successful', decline => 'refused failed', declined => 'refused failed',
            action => 'action-required incomplete', waiting => 'action-required incomplete',
            denied => 'refused failed', absent => 'unknown -', progress => 'pending pending',
            duplicate => 'unknown -', error => 'unknown -', unavailable => 'unknown -',
            word => 'unknown SANDBOX_WORD', charged_back => 'returned successful',
        },
    };
}

sub dintero {
    return {
        name => 'dintero', live => {accountId => 'P12345678'}, only_reserves => 1,
        before => [
            ['session', 'pending -', session => qr/"id":"([^"]+)"/], ['operations', 'pending -'],
            ['submission', 'pending -', transaction => qr/"transaction_id":"([^"]+)"/],
        ],
        session => sub { ('session', shift->access) },
        operations => sub { ('operations', '--session-id', shift->{session}) },
        submission => sub {
            my $self = shift;
            return ('payment', $self->token, '--previous', "$self->{folder}/operations");
        },
        payment => sub {
            my $self = shift;
            return ('pay', '--session-id', $self->{session}, '--payment-id', $self->{transaction});
        },
        # The transaction's identifier was known before the payment.
        question => sub {
            my $self = shift;
            return ('status', $self->access, '--payment-id', $self->{transaction});
        },
        search => sub { ('search', shift->access) }, by_reference => 1, operation_steps(has_access => 1),
        answers => {
            payment => 'pending -', settled => 'authorized AUTHORIZED', repeated => 'unknown -',
            reserved => 'authorized AUTHORIZED', part_capture => 'done PARTIALLY_CAPTURED',
            captured_part => 'partly-paid PARTIALLY_CAPTURED', rest_capture => 'done CAPTURED',
            captured => 'paid CAPTURED', slow_capture => 'pending AUTHORIZED',
            slow_waiting => 'authorized AUTHORIZED', cancel => 'done AUTHORIZATION_VOIDED',
            cancelled => 'returned AUTHORIZATION_VOIDED', part_refund => 'done PARTIALLY_REFUNDED',
            refunded_part => 'partly-returned PARTIALLY_REFUNDED', rest_refund => 'done REFUNDED',
            returned => 'returned REFUNDED', decline => 'refused -', declined => 'refused FAILED',
            action => 'action-required -', waiting => 'pending INITIATED', denied => 'refused FAILED',
            absent => 'unknown -',
            progress => 'pending unknown', duplicate => 'unknown -', error => 'unknown -', unavailable => 'unknown -',
            word => 'unknown SANDBOX_WORD',
        },
    };
}

sub rbs {
    return {
        name => 'rbs', payment => \&payment_step, reserves => {preAuth => JSON::PP::true},
        question => sub { 'status' }, by_reference => 1, is_final => 1, keeps_refunds => 1, operation_steps(),
        answers => {
            payment => 'paid 2', repeated => 'unknown -', tapped => 'unknown -', reserved => 'authorized 1',
            part_capture => 'done 0', whole_capture => 'done 0', captured_part => 'partly-paid 2', cancel => 'done 0',
            cancelled => 'returned 3',
            part_refund => 'done 0', refunded_part => 'partly-returned 4', rest_refund => 'done 0',
            returned => 'returned 4', decline => 'unknown -', declined => 'refused 6', action => 'action-required 5',
            waiting => 'pending 5', denied => 'refused 6', absent => 'unknown -',
            progress => 'pending 7', duplicate => 'unknown -',
            error => 'unknown -', unavailable => 'unknown -', word => 'unknown 99',
            charged_back => 'returning 2', part => 'partly-paid 2',
        },
    };
}

# No money moves: a card is added to the customer's wallet, once they have consented. There is nothing to ask or to
# refund, and the number at the end of the card's identifier is what amounts are elsewhere.
sub intergiro {
    return {
        name => 'intergiro', is_card => 1,
        before => [['login', 'pending -', access => qr/"access_token":"([^"]+)"/]],
        login => sub { 'login' },
        payment => sub {
            my $self = shift;
            return ('tokenize', $self->access, '--id', "card-$self->{amount}");
        },
        consent => sub {
            my $self = shift;
            return ('consent', $self->access, '--id', $self->{consent}, '--url', 'https://shop.example/r');
        },
        answers => {
            payment => 'pending -', consent => 'browser -', decline => 'unknown -', duplicate => 'unknown -',
            error => 'unknown -', unavailable => 'unknown -', word => 'unknown -',
        },
    };
}

# It has no keys for payments, and cannot be asked.
sub cybersource {
    return {
        name => 'cybersource', only_reserves => 1, payment => \&payment_step,
        answers => {
            payment => 'authorized AUTHORIZED', decline => 'refused DECLINED',
            action => 'pending PENDING_AUTHENTICATION',
            progress => 'pending AUTHORIZED_PENDING_REVIEW',
            duplicate => 'unknown INVALID_REQUEST', error => 'unknown SERVER_ERROR',
            unavailable => 'unknown SERVER_ERROR',
            word => 'unknown SANDBOX_WORD', part => 'partly-authorized PARTIAL_AUTHORIZED',
        },
    };
}

sub checkout {
    return {
        name => 'checkout', payment => \&payment_step, question => \&search_step, by_reference => 1,
        answers => {
            payment => 'authorized Authorized', settled => 'paid Captured', repeated => 'authorized Authorized',
            tapped => 'unknown -', decline => 'refused Declined', declined => 'refused Declined',
            action => 'action-required Pending', waiting => 'pending Pending', denied => 'refused Declined',
            absent => 'unknown -',
            progress => 'pending Pending', duplicate => 'unknown -', error => 'unknown -', unavailable => 'unknown -',
            word => 'unknown SANDBOX_WORD', part => 'partly-authorized Authorized',
            parted => 'partly-paid Captured',
        },
    };
}

sub adyen {
    return {
        name => 'adyen', has_keys => 1, only_reserves => 1, payment => \&payment_step,
        answers => {
            payment => 'authorized Authorised', repeated => 'authorized Authorised', tapped => 'unknown -',
            decline => 'refused Refused', action => 'action-required RedirectShopper',
            progress => 'pending Pending', duplicate => 'unknown -',
            error => 'unknown -', unavailable => 'unknown -', word => 'unknown SANDBOX_WORD',
            part => 'partly-authorized PartiallyAuthorised',
        },
    };
}

sub paypal {
    return {
        name => 'paypal', has_keys => 1,
        before => [['login', 'pending -', access => qr/"access_token":"([^"]+)"/]],
        login => sub { 'login' },
        payment => sub {
            my $self = shift;
            return (payment_step($self), $self->access);
        },
        question => sub {
            my $self = shift;
            return (status_step($self), $self->access);
        },
        finish => sub {
            my $self = shift;
            return ('finish', $self->access, '--payment-id', $self->{id});
        },
        answers => {
            payment => 'paid COMPLETED', repeated => 'paid COMPLETED', tapped => 'unknown -', decline => 'refused -',
            action => 'action-required PAYER_ACTION_REQUIRED', waiting => 'action-required PAYER_ACTION_REQUIRED',
            denied => 'refused COMPLETED', progress => 'authorized COMPLETED', confirmed => 'pending APPROVED',
            finished => 'paid COMPLETED', duplicate => 'unknown -',
            error => 'unknown -', unavailable => 'unknown -', word => 'unknown SANDBOX_WORD',
        },
    };
}

1;
