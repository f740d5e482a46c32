<?php // usage: pay.php SOCKET GATEWAY TOKEN ORDER     pays an order; prints the outcome, and exits like paytoken pay
const EXITS = ['paid' => 0, 'refused' => 1, 'returned' => 1, 'action-required' => 4, 'pending' => 4, 'returning' => 4,
    'authorized' => 6, 'partly-authorized' => 6, 'partly-paid' => 6, 'partly-returned' => 6];
[, $path, $gateway, $token, $order] = $argv;
function finish(string $text, int $status): never { echo "$text\n"; exit($status); }
function read(string $file): mixed { return json_decode((string) @file_get_contents($file), flags: JSON_THROW_ON_ERROR); }
try {
    $body = json_encode(['gateway' => $gateway, 'token' => read($token), 'order' => read($order)], JSON_THROW_ON_ERROR);
} catch (JsonException $error) { finish('not sent: ' . $error->getMessage(), 3); }
$curl = curl_init('http://paytoken/v1/pay');
curl_setopt_array($curl, [
    CURLOPT_UNIX_SOCKET_PATH => $path, CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => getenv('TIMEOUT') ?: 90,
    CURLOPT_HTTPHEADER => ['Content-Type: application/json', 'Paytoken-Request: true'], CURLOPT_POSTFIELDS => $body,
]);
$answer = curl_exec($curl);
if (curl_errno($curl) == CURLE_COULDNT_CONNECT) finish('not sent: ' . curl_error($curl), 3);
$status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
$text = json_decode((string) $answer, true)[$status == 200 ? 'outcome' : 'message'] ?? null;
if (!is_string($text)) finish('unknown', 5); // The order may be paid: send it again, or ask for its outcome.
finish($text, $status == 200 ? EXITS[$text] ?? 5 : [422 => 1, 503 => 3][$status] ?? ($status < 500 ? 2 : 5));
