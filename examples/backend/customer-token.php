<?php
function encode(string $data): string {
    return rtrim(strtr(base64_encode($data), '+/', '-_'), '=');
}

function customer_token(string $customerId): string {
    $claims = ['scope' => 'customer', 'sub' => $customerId, 'exp' => time() + 900];
    $parts = [['alg' => 'HS256', 'typ' => 'JWT'], $claims];
    $text = implode('.', array_map(fn($part) => encode(json_encode($part, JSON_THROW_ON_ERROR)), $parts));
    return $text . '.' . encode(hash_hmac('sha256', $text, getenv('JWT_SECRET'), true));
}
