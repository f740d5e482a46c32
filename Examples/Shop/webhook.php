<?php // webhook.php/NAME: passes a gateway's message on to the service, which verifies it and asks the gateway.
require 'service.php';
$headers = [];
foreach (getallheaders() as $name => $value) $headers[] = ['name' => (string) $name, 'value' => $value];
[$status, $answer] = ask_service('POST', '/v1/messages/' . rawurlencode(basename($_SERVER['PATH_INFO'] ?? '')), [
    'method' => $_SERVER['REQUEST_METHOD'], 'target' => $_SERVER['REQUEST_URI'], 'headers' => $headers,
    'body' => base64_encode(file_get_contents('php://input', length: 1 << 20)),
]);
http_response_code($status === 200 ? $answer['status'] : 503);
header('Content-Type: text/plain');
echo $status === 200 ? $answer['body'] : '';
