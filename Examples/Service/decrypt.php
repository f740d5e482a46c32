<?php // usage: decrypt.php SOCKET TOKEN ORDER     claims a token, once; prints the answer with its card data
[, $path, $token, $order] = $argv;
function finish(string $text, int $status): never { echo "$text\n"; exit($status); }
function read(string $file): mixed { return json_decode((string) @file_get_contents($file), flags: JSON_THROW_ON_ERROR); }
try {
    $members = ['token' => read($token), 'order' => read($order), 'claim' => true, 'reveal' => true];
    $body = json_encode($members, JSON_THROW_ON_ERROR);
} catch (JsonException $error) { finish('not sent: ' . $error->getMessage(), 3); }
$curl = curl_init('http://paytoken/v1/decrypt');
curl_setopt_array($curl, [
    CURLOPT_UNIX_SOCKET_PATH => $path, CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => getenv('TIMEOUT') ?: 70,
    CURLOPT_HTTPHEADER => ['Content-Type: application/json', 'Paytoken-Request: true'], CURLOPT_POSTFIELDS => $body,
]);
$answer = curl_exec($curl);
if (curl_errno($curl) == CURLE_COULDNT_CONNECT) finish('not sent: ' . curl_error($curl), 3);
$status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
$found = json_decode((string) $answer, true);
$text = $status != 200 ? $found['message'] ?? null : (($found['claimed'] ?? false) ? trim($answer) : null);
if (!is_string($text)) finish('unknown', 5); // The token may be claimed now: let the customer confirm again.
finish($text, [200 => 0, 422 => 1, 503 => 3][$status] ?? ($status < 500 ? 2 : 5));
