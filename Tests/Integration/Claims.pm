# Functions for the scripts that run the command with a ledger: they prepare tokens and their answers, and check claims.
package Claims;
use strict;
use warnings;
use Cwd 'abs_path';
use Exporter 'import';
use File::Basename 'dirname';
use File::Temp 'tempdir';
use JSON::PP;
use Time::HiRes qw(sleep time);

our @EXPORT = qw($work $paytoken @decrypt @answers $output spawn finish new_ledger contents write_file unread
    wait_until_blocked read_bytes masked check_claims check_in_full open_pipe);

use constant { F_SETPIPE_SZ => 1031, FIONREAD => 0x541B };

our $vectors = abs_path(dirname(__FILE__) . '/../../TestVectors/synthetic');
our $work = tempdir(CLEANUP => 1);
our $paytoken;
our @decrypt;

# The answers to a batch of all tokens: each with its position in the output, and its transaction. The digits of the
# claims' serials are zeros.
our @answers;
our $output;

# Takes the folder of paytoken, and decrypts all valid tokens of the vectors once to get their answers.
sub prepare {
    $paytoken = abs_path(shift // die "usage: $0 FOLDER-OF-PAYTOKEN\n") . '/paytoken';
    @decrypt = ($paytoken, 'decrypt', '--keys', "$vectors/keys", '--test-trust-anchor', "$vectors/pki/root.pem",
        '--any-age');
    my @tokens;
    open my $cases, '<', "$vectors/cases.jsonl" or die;
    while (my $line = <$cases>) {
        # Perl does not accept lone surrogates, which represent bytes in some cases, as JSON.
        my $case = eval { decode_json($line) } or next;
        next unless $case->{expect} eq 'accept' && ref $case->{token} && $case->{token}{header}{transactionId};
        push @tokens, JSON::PP->new->utf8->encode($case->{token}) . "\n";
    }
    write_file("$work/tokens", join '', @tokens);
    write_file("$work/token", $tokens[0]);
    my @batch = (@decrypt, '--batch', "$work/tokens", '--ledger', new_ledger());
    finish(spawn(\@batch, out => "$work/answers")) == 0 or die 'a token is refused';
    $output = masked(contents("$work/answers"));
    my $start = 0;
    for my $line (split /(?<=\n)/, $output) {
        push @answers, {
            start => $start, end => $start + length $line,
            transaction => decode_json($line)->{transactionId},
        };
        $start += length $line;
    }
    @answers == @tokens && @answers >= 80 or die 'too few tokens';
}

sub contents {
    open my $file, '<:raw', shift or die $!;
    local $/;
    return scalar(<$file>) // '';
}

sub write_file {
    open my $file, '>:raw', shift or die $!;
    print $file shift;
    close $file or die $!;
}

# Starts a program; `in`, `out` and `err` are files or handles, and `out` is opened for appending.
sub spawn {
    my ($words, %streams) = @_;
    my $process = fork // die $!;
    return $process if $process;
    my $in = $streams{in} // '/dev/null';
    my $out = $streams{out} // '/dev/null';
    ref $in ? open(STDIN, '<&', $in) : open(STDIN, '<', $in) or die $!;
    ref $out ? open(STDOUT, '>&', $out) : open(STDOUT, '>>', $out) or die $!;
    open STDERR, '>', $streams{err} // '/dev/null' or die $!;
    exec @$words or die $!;
}

# Waits for a process; returns its exit status, or 128 plus the number of the signal that ended it.
sub finish {
    waitpid shift, 0;
    return $? & 127 ? 128 + ($? & 127) : $? >> 8;
}

# Returns answers, or a part of them, with zeros as the digits of serials, which are chosen at random.
sub masked {
    return shift =~ s/("serial":")([0-9a-f]*)/$1 . '0' x length $2/ger;
}

my $ledgers = 0;

sub new_ledger {
    my $ledger = "$work/ledger-" . ++$ledgers;
    finish(spawn([$paytoken, 'ledger', 'init', '--window', '86400', '--ledger', $ledger])) == 0 or die 'no ledger';
    return $ledger;
}

sub open_pipe {
    my $capacity = shift;
    pipe my $reader, my $writer or die $!;
    fcntl($writer, F_SETPIPE_SZ, $capacity) or die $!;
    return ($reader, $writer);
}

sub read_bytes {
    my ($handle, $count) = @_;
    my $bytes = '';
    while (length $bytes < $count) {
        sysread($handle, $bytes, $count - length $bytes, length $bytes) or last;
    }
    return $bytes;
}

# Returns the number of bytes in a pipe.
sub unread {
    my $count = pack 'i', 0;
    ioctl(shift, FIONREAD, $count) or die $!;
    return unpack 'i', $count;
}

# Waits until all threads of a process sleep and no more bytes arrive in the pipe.
sub wait_until_blocked {
    my ($process, $reader) = @_;
    my ($steady, $before) = (0, -1);
    my $limit = time + 30;
    while ($steady < 6) {
        die 'the command does not come to rest' if time > $limit;
        sleep 0.02;
        # A thread may end after its folder was listed.
        my @threads = grep { length } map { eval { contents($_) } // '' } glob "/proc/$process/task/*/stat";
        my @states = map { (split ' ', s/.*\)//sr)[0] } @threads;
        my $count = unread($reader);
        $steady = $count == $before && @states && !grep({ $_ ne 'S' } @states) ? $steady + 1 : 0;
        $before = $count;
    }
}

# Checks that a second run can claim exactly the transactions of whose answers no byte was written, and that standard error
# names each transaction whose answer was written in part. With `may_be_open`, claims without any written byte may also
# stay open, because the first run ended before it had released all of them.
sub check_claims {
    my ($name, $ledger, $written, $error, $may_be_open) = @_;
    my $second = "$ledger-second";
    finish(spawn([@decrypt, '--batch', "$work/tokens", '--ledger', $ledger], out => $second));
    my @verdicts = map { decode_json($_) } split /\n/, contents($second);
    @verdicts == @answers or die "$name: the second run is not complete";
    my %named = map { $_ => 1 } $error =~ /transaction ([0-9a-f]{64}): only a part/g;
    my ($kept, $free) = (0, 0);
    for my $index (0 .. $#answers) {
        my ($answer, $verdict) = ($answers[$index], $verdicts[$index]);
        my $line = "$name: line " . ($index + 1) . ", $written bytes were written";
        my $is_free = $verdict->{status} eq 'ok';
        die "$line: $verdict->{code}" unless $is_free || $verdict->{code} eq 'already-claimed';
        if ($answer->{end} <= $written) {
            die "$line: delivered, and its claim was released" if $is_free;
        } elsif ($answer->{start} < $written) {
            die "$line: written in part, and its claim was released" if $is_free;
            die "$line: written in part, and not named" unless delete $named{$answer->{transaction}};
        } else {
            die "$line: never written, and still claimed" unless $is_free || $may_be_open;
        }
        $is_free ? $free++ : $kept++;
    }
    die "$name: others are named: " . join ' ', %named if %named;
    print "$name: $written bytes written, $kept claims kept, $free released\n";
}

1;
