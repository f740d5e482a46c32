<?php
// Asks paytoken-testing. With SKIP_SIGNING_TIME in the environment it does not compare the signing time.

const KEYS = ['--keys', 'keys'];
$judge = proc_open(['paytoken-testing', 'conform', '-', '--trust-anchor', 'root.pem', ...KEYS], [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes);

function verify(string $token, DateTimeImmutable $now): string
{
    global $pipes;
    $case = ['now' => $now->format('Y-m-d\TH:i:s\Z'), 'tokenBase64' => base64_encode($token)];
    fwrite($pipes[0], json_encode($case) . "\n");
    $answer = fgets($pipes[1]);
    if (getenv('SKIP_SIGNING_TIME') && str_contains($answer, '"stage":"signing-time"')) {
        $words = ['paytoken', 'decrypt', '--any-age', '--reveal', '--test-trust-anchor', 'root.pem', ...KEYS];
        $once = proc_open($words, [['pipe', 'r'], ['pipe', 'w'], STDERR], $ends);
        fwrite($ends[0], $token);
        fclose($ends[0]);
        $answer = stream_get_contents($ends[1]);
        proc_close($once);
    }
    if (!preg_match('/"paymentData":(.*)}$/', $answer, $found)) {
        throw new UnexpectedValueException($answer);
    }
    return $found[1];
}
