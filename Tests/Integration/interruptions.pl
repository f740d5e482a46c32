#!/usr/bin/env perl
# Checks that SIGINT and SIGTERM end the command within a second with exit status 130, even if the reader, the ledger or
# a device hangs, and that this does not release the claim of a delivered answer. Takes the folder of paytoken.
use strict;
use warnings;
use Fcntl ':flock';
use FindBin;
use JSON::PP;
use lib $FindBin::Bin;
use Claims;
use Time::HiRes qw(sleep time);

Claims::prepare(@ARGV);

# Sends a signal, expects exit status 130 and returns the elapsed seconds; the limit has half a second for a loaded
# machine.
sub interrupt {
    my ($name, $process, $signal) = @_;
    my $start = time;
    kill $signal, $process;
    my $status = finish($process);
    my $seconds = time - $start;
    $status == 130 or die "$name: exit $status after $signal";
    $seconds < 1.5 or die "$name: ended $seconds s after $signal";
    printf "%s, %s: exit 130 after %.2f s\n", $name, $signal, $seconds;
    return $seconds;
}

print "\n# A reader that hangs\n";
for my $signal ('TERM', 'INT') {
    for my $jobs (1, 2) {
        my $ledger = new_ledger();
        my ($reader, $writer) = open_pipe(4096);
        my $process = spawn([@decrypt, '--batch', "$work/tokens", '--jobs', $jobs, '--ledger', $ledger],
            out => $writer, err => "$ledger-err");
        close $writer;
        my $bytes = read_bytes($reader, 1000 * $jobs);
        wait_until_blocked($process, $reader);
        my $seconds = interrupt("a batch with $jobs threads", $process, $signal);
        check_claims('its claims', $ledger, length($bytes) + unread($reader), contents("$ledger-err"), $seconds > 0.9);
    }
    my ($reader, $writer) = open_pipe(4096);
    syswrite $writer, 'x' x 4096;
    my $ledger = new_ledger();
    for my $words ([@decrypt, "$work/token"], [@decrypt, "$work/token", '--ledger', $ledger]) {
        my $process = spawn($words, out => $writer);
        wait_until_blocked($process, $reader);
        interrupt('one token' . (@$words > @decrypt + 1 ? ' with a ledger' : ''), $process, $signal);
    }
    finish(spawn([@decrypt, "$work/token", '--ledger', $ledger])) == 0 or die 'the claim was not released';
}

print "\n# A reader that reads on, and input that does not end\n";
for my $signal ('TERM', 'INT') {
    my $ledger = new_ledger();
    pipe my $input, my $more or die $!;
    my ($reader, $writer) = open_pipe(4096);
    my $process = spawn([@decrypt, '--batch', '--ledger', $ledger], in => $input, out => $writer, err => "$ledger-err");
    close $_ for $input, $writer;
    my $tokens = contents("$work/tokens");
    syswrite $more, substr $tokens, 0, 30_000;
    my $bytes = read_bytes($reader, 500);
    kill $signal, $process;
    $bytes .= read_bytes($reader, 1 << 30);
    my $status = finish($process);
    $status == 130 or die "exit $status";
    $bytes =~ /\n\z/ or die 'the last line is not complete';
    check_claims("$signal, exit $status", $ledger, length $bytes, contents("$ledger-err"));
}

print "\n# Standard input that never comes\n";
for my $words (['verify'], ['inspect'], ['verify', '--batch'], ['conform', '-', @decrypt[2, 3], '--trust-anchor', $decrypt[5]]) {
    pipe my $input, my $silent or die $!;
    my ($reader, $writer) = open_pipe(4096);
    my $process = spawn([$paytoken, @$words], in => $input, out => $writer);
    close $_ for $input, $writer;
    wait_until_blocked($process, $reader);
    interrupt("@$words[0 .. ($#$words && $words->[1] =~ /^--/)]", $process, 'TERM');
}

print "\n# A ledger that hangs\n";
{
    # Releasing takes the lock of a folder, and this test keeps all of them locked; claims that cannot be released stay
    # open.
    my $ledger = new_ledger();
    my ($reader, $writer) = open_pipe(4096);
    my $process = spawn([@decrypt, '--batch', "$work/tokens", '--ledger', $ledger], out => $writer);
    close $writer;
    wait_until_blocked($process, $reader);
    my @locks = map { opendir my $folder, $_ or die $!; open my $lock, '<', $_ or die $!; flock $lock, LOCK_EX or die $!; $lock }
        glob "$ledger/claims/*";
    interrupt('a batch that cannot release', $process, 'TERM');
}

print "\n# A device that hangs\n";
my $sources = "$FindBin::Bin/../../Sources/Core/CApplePaySystem/include";
if (system("command -v cc openssl > /dev/null") != 0) {
    print "skipped: there is no compiler or no openssl here\n";
    exit 0;
}
system('openssl', 'x509', '-in', "$Claims::vectors/keys/one.cert.pem", '-outform', 'der', '-out', "$work/one.der") == 0
    or die 'no certificate';

# Compiles the module; returns the words of a decrypt command that uses its key instead of the key in a file.
sub device {
    my ($name, @flags) = @_;
    system('cc', '-Wall', '-Wextra', '-Werror', '-shared', '-fPIC', "-I$sources", "-DCERTIFICATE=\"$work/one.der\"",
        @flags, "$FindBin::Bin/hanging-module.c", '-o', "$work/$name.so") == 0 or die 'the module does not compile';
    my @words = @decrypt;
    splice @words, 2, 2, '--keys', "pkcs11:token=hanging?module-path=$work/$name.so",
        map { ('--keys', "$Claims::vectors/keys/$_.key.pem", '--keys', "$Claims::vectors/keys/$_.cert.pem") } qw(two three past);
    return @words;
}

# Starts the command, and returns once it calls the device.
sub start {
    my ($words, %streams) = @_;
    write_file("$work/err", '');
    my $process = spawn($words, %streams, err => "$work/err");
    my $limit = time + 30;
    until (contents("$work/err") =~ /^hanging$/m) {
        die 'the module was not asked: ' . contents("$work/err") if time > $limit;
        sleep 0.02;
    }
    return $process;
}

my @device = device('hanging');
my $ledger = new_ledger();
for my $more (["$work/token"], ["$work/token", '--ledger', $ledger], ['--batch', "$work/tokens"],
    ['--batch', "$work/tokens", '--ledger', $ledger])
{
    for my $signal ('TERM', 'INT') {
        my $name = join ' ', 'decrypt', grep { !/\// } @$more;
        interrupt($name, start([@device, @$more]), $signal);
    }
}

print "\n# A device that is slow\n";
@device = device('slow', '-DDELAY=15000');
for my $jobs (1, 2) {
    $ledger = new_ledger();
    my $process = start([@device, '--batch', "$work/tokens", '--jobs', $jobs, '--ledger', $ledger], out => "$ledger-out");
    interrupt("a batch with $jobs threads", $process, 'TERM');
    # The answers are in order and without gaps; only the claims of delivered answers stay.
    my @lines = split /(?<=\n)/, contents("$ledger-out");
    @lines && @lines < @answers && $lines[-1] =~ /\n\z/ or die 'not some complete lines';
    my @kept;
    for my $index (0 .. $#lines) {
        my $answer = decode_json($lines[$index]);
        next if ($answer->{code} // '') eq 'key-unavailable';
        $answer->{transactionId} eq $answers[$index]{transaction} or die 'answers are not in order';
        push @kept, $answer->{transactionId};
    }
    finish(spawn([@decrypt, '--batch', "$work/tokens", '--ledger', $ledger], out => "$ledger-second"));
    my @verdicts = map { decode_json($_) } split /\n/, contents("$ledger-second");
    my @claimed = map { $answers[$_]{transaction} } grep { $verdicts[$_]{status} ne 'ok' } 0 .. $#verdicts;
    "@claimed" eq "@kept" or die 'other claims are kept than those of the answers';
    printf "%d of %d lines answered, %d claims kept\n", scalar @lines, scalar @answers, scalar @kept;
}
