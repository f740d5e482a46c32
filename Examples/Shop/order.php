<?php // What the page asks: GET order.php/REFERENCE, POST order.php/REFERENCE/session and order.php/REFERENCE/pay.
require 'service.php';
[, $reference, $verb] = explode('/', ($_SERVER['PATH_INFO'] ?? '/') . '//');
$order = find_order($reference) ?? reply(404, []); // Here, also compare the customer with the order's.
if ($verb === 'session') {
    [$status, $session] = ask_service('POST', '/v1/session', ['domain' => 'shop.example', 'displayName' => 'Shop']);
    reply($status === 200 ? 200 : 502, $session);
}
if ($verb === 'pay') {
    $token = file_get_contents('php://input', length: 200_000);
    [$status, $found] = ask_service('POST', '/v1/pay', ['token' => $token, 'order' => $order]);
}
// The customer's return from the bank proves nothing, and a lost answer neither: ask for the order.
if (($status ?? 0) !== 200) [$asked, $found] = ask_service('GET', '/v1/payments/' . rawurlencode($reference));
$outcome = $found['outcome'] ?? $found['code'] ?? '';
$payable = in_array($outcome, ['no-payment', 'refused'], true);
reply(200, [ // The total is that of a currency with two decimals.
    'total' => sprintf('%.2f', $order['amount'] / 100), 'currency' => $order['currency'], 'payable' => $payable,
    'text' => $verb === 'pay' && $outcome === 'no-payment' ? 'This payment was not accepted. Nothing was charged.'
        : TEXTS[$outcome] ?? 'We are checking your payment. Please do not pay again.',
    'url' => $outcome === 'action-required' ? $found['url'] ?? null : null,
    'wait' => !$payable && !in_array($outcome, ['paid', 'authorized', 'partly-returned', 'returned'], true),
]);
