<?php // usage: operate.php capture|cancel|refund REFERENCE NAME [AMOUNT]     the role operate; the same NAME again does nothing
require 'service.php';
[, $verb, $reference, $name] = $argv;
$body = ['operation' => $name, 'reason' => 'The customer asked for it.'] + (isset($argv[4]) ? ['amount' => (int) $argv[4]] : []);
[$status, $answer] = ask_service('POST', '/v1/payments/' . rawurlencode($reference) . "/$verb", $body);
echo $status === 200 ? $answer['operation'] : $answer['message'] ?? 'unknown', "\n";
// done, pending, refused; anything else may have been done: give the same name again, or ask for the order.
exit(['done' => 0, 'pending' => 4, 'refused' => 1][$answer['operation'] ?? ''] ?? [422 => 1, 503 => 3][$status] ?? ($status >= 400 && $status < 500 ? 2 : 5));
