<?php
// php run.php CASES VERIFIER > ANSWERS
//
// Calls the function verify of the PHP file VERIFIER for each case, and writes the answers that `paytoken-testing conform --check` judges:
//
//     function verify(string $token, DateTimeImmutable $now): string
//
// $token is the body of the request, byte for byte, and $now the time of its receipt. The function returns the decrypted payment
// data as JSON. It throws if it refuses the token; every Throwable counts as a refusal.

if ($argc !== 3) {
    fwrite(STDERR, "usage: php run.php CASES VERIFIER > ANSWERS\n");
    exit(2);
}
ini_set('display_errors', 'stderr');
require realpath($argv[2]);

$accepted = 0;
$refusals = [];
foreach (file($argv[1]) as $line) {
    $case = json_decode($line, true, 512, JSON_THROW_ON_ERROR);
    $id = json_encode($case['id'], JSON_UNESCAPED_SLASHES);
    try {
        $payment = verify(base64_decode($case['tokenBase64']), new DateTimeImmutable($case['now']));
        // An answer is one line.
        $payment = strtr($payment, "\r\n", '  ');
        fwrite(STDOUT, "{\"id\":$id,\"status\":\"ok\",\"paymentData\":$payment}\n");
        $accepted += 1;
    } catch (Throwable $refusal) {
        fwrite(STDOUT, "{\"id\":$id,\"status\":\"error\"}\n");
        $kind = get_class($refusal);
        $refusals[$kind] = ($refusals[$kind] ?? 0) + 1;
    }
}
fwrite(STDERR, "accepted: $accepted\n");
foreach ($refusals as $kind => $count) {
    fwrite(STDERR, "refused with $kind: $count\n");
}
