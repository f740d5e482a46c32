#!/usr/bin/env perl
# Checks that a claim is released only if no byte of its answer was written: with readers that close the pipe, full
# disks and file-size limits. Takes the folder of paytoken.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Claims;

Claims::prepare(@ARGV);
my $runs = 0;

sub batch {
    my ($ledger, $jobs) = @_;
    return (@decrypt, '--batch', "$work/tokens", '--jobs', $jobs, '--ledger', $ledger);
}

print "\n# A reader that leaves\n";
for my $capacity (4096, 8192, 16384) {
    for my $jobs (1, 2, 4) {
        for my $taken (0, 700 + 31 * $jobs, 9_000 + $capacity % 1000) {
            my $ledger = new_ledger();
            my ($reader, $writer) = open_pipe($capacity);
            my $process = spawn([batch($ledger, $jobs)], out => $writer, err => "$ledger-err");
            close $writer;
            my $bytes = read_bytes($reader, $taken);
            wait_until_blocked($process, $reader);
            my $written = length($bytes) + unread($reader);
            close $reader;
            my $name = "pipe of $capacity bytes, $taken taken, $jobs threads";
            finish($process) == 3 or die "$name: not exit 3";
            masked($bytes) eq substr $output, 0, $taken or die "$name: other answers";
            check_claims($name, $ledger, $written, contents("$ledger-err"));
            $runs++;
        }
    }
}

# Runs a batch whose output is appended to a file that already contains some bytes.
sub append {
    my ($name, $file, $filled, $jobs, @limit) = @_;
    my $ledger = new_ledger();
    write_file($file, 'x' x $filled);
    my $status = finish(spawn([@limit, batch($ledger, $jobs)], out => $file, err => "$ledger-err"));
    $status == 3 or die "$name: exit $status";
    my $written = (-s $file) - $filled;
    check_claims($name, $ledger, $written, contents("$ledger-err"));
    $runs++;
}

# Returns the words that run a program with a limit for the size of its files, in units of 1024 bytes.
sub limit { return ('bash', '-c', 'ulimit -f "$0" && exec "$@"', shift) }

print "\n# A limit for the size of files\n";
# The limit also applies to the ledger's files; a group of 64 claims takes 8 KiB.
for my $kilobytes (8, 12, 16, 20) {
    for my $filled (0, 1, 517, 1024) {
        my $jobs = 1 + $filled % 3;
        append("$kilobytes KiB, $filled filled, $jobs threads", "$work/out", $filled, $jobs, limit($kilobytes));
    }
}

print "\n# A full disk\n";
my $disk = "$work/disk";
mkdir $disk or die $!;
for my $kilobytes (4, 12, 20) {
    if (system("mount -t tmpfs -o size=${kilobytes}k tmpfs $disk 2> /dev/null") != 0) {
        print "skipped: a small file system cannot be mounted here\n";
        last;
    }
    my $done = eval {
        for my $filled (0, 3, 700, 2048) {
            my $jobs = 1 + $filled % 3;
            append("$kilobytes KiB, $filled filled, $jobs threads", "$disk/out", $filled, $jobs);
            unlink "$disk/out";
        }
        1;
    };
    my $fault = $@;
    system('umount', $disk);
    die $fault unless $done;
}

print "\n# One token\n";
my ($length, $transaction) = @{$answers[0]}{'end', 'transaction'};
for my $room (0, 1, 300, $length - 1, $length) {
    my $ledger = new_ledger();
    my @words = (@decrypt, "$work/token", '--ledger', $ledger);
    write_file("$work/out", 'x' x (2048 - $room));
    my $status = finish(spawn([limit(2), @words], out => "$work/out", err => "$ledger-err"));
    $status == ($room == $length ? 0 : 3) or die "room for $room bytes: exit $status";
    my $is_named = contents("$ledger-err") =~ /transaction $transaction: only a part/;
    ($is_named xor $room > 0 && $room < $length) and die "room for $room bytes: named or not named wrongly";
    my $again = finish(spawn(\@words));
    $again == ($room == 0 ? 0 : 1) or die "room for $room bytes: exit $again the second time";
    print "room for $room of $length bytes: exit $status, then $again\n";
    $runs++;
}

print "\n$runs runs: a claim was released if no byte of its answer was written, and only then\n";
