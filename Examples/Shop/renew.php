<?php // usage: renew.php REFERENCE MONTH     charges a subscription's order of a month, such as order-1001 2026-12; again does nothing
require 'service.php';
[, $reference, $month] = $argv;
[$status, $found] = ask_service('GET', '/v1/payments/' . rawurlencode($reference)); // Its record has the card that was stored.
$first = find_order($reference);
if ($first === null || !isset($found['card'])) {
    echo $found['message'] ?? 'The gateway stored no card with this order.', "\n";
    exit(2);
}
$order = find_order("$reference-$month");
if ($order === null) { // Stored before it is paid, with its time.
    $order = ['reference' => "$reference-$month", 'created' => gmdate('Y-m-d\TH:i:s\Z')] + $first;
    file_put_contents(getenv('ORDERS') . "/$reference-$month.json", json_encode($order), LOCK_EX);
}
[$status, $answer] = ask_service('POST', '/v1/pay', ['card' => $found['card'], 'initiator' => 'recurring', 'order' => $order]);
echo $answer['outcome'] ?? $answer['message'] ?? 'unknown', "\n";
// After 1, ask the customer to pay this order with a token; after anything else but 0, ask again: it is charged once.
exit(['paid' => 0, 'authorized' => 0, 'refused' => 1, 'pending' => 4][$answer['outcome'] ?? ''] ?? ($status >= 400 && $status < 500 ? 2 : 5));
