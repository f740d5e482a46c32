<?php // Asks the service; SOCKET and ORDERS in the environment are its socket and the folder of the orders.
const TEXTS = [
    'paid' => 'Thank you. Your order is paid.', 'authorized' => 'Thank you. You are charged when it is sent.',
    'partly-returned' => 'A part of your money was returned.', 'returned' => 'Your money was returned.',
    'refused' => 'The payment was declined. Nothing was charged.', 'no-payment' => 'Your order is not paid yet.',
    'action-required' => 'Your bank asks you to confirm this payment.',
];
/** Returns the status and the members of the service's answer; 0 and no members if no answer came. */
function ask_service(string $method, string $path, ?array $body = null): array {
    $curl = curl_init("http://paytoken$path");
    curl_setopt_array($curl, [
        CURLOPT_UNIX_SOCKET_PATH => getenv('SOCKET'), CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => 25, // Apple's sheet waits 30 seconds; a later answer is no loss, because the order can be asked for.
        CURLOPT_CUSTOMREQUEST => $method, CURLOPT_HTTPHEADER => ['Content-Type: application/json', 'Paytoken-Request: true'],
    ]);
    if ($body !== null) curl_setopt($curl, CURLOPT_POSTFIELDS, json_encode($body, JSON_INVALID_UTF8_SUBSTITUTE));
    $members = json_decode((string) curl_exec($curl), true);
    return is_array($members) ? [curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $members] : [0, []];
}
/** Returns an order as the shop's database has it; null if there is none. */
function find_order(string $reference): ?array {
    $file = getenv('ORDERS') . "/$reference.json";
    return preg_match('/^[a-z0-9-]{1,64}$/D', $reference) && is_file($file) ? json_decode(file_get_contents($file), true) : null;
}
/** Ends the request with JSON. */
function reply(int $status, array $members): never {
    http_response_code($status);
    header('Content-Type: application/json');
    header('Cache-Control: no-store');
    exit(json_encode($members));
}
