import base64, hashlib, hmac, json, os, time

def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")

def customer_token(customer_id):
    claims = {"scope": "customer", "sub": customer_id, "exp": int(time.time()) + 900}
    text = b".".join(encode(json.dumps(part).encode()) for part in ({"alg": "HS256", "typ": "JWT"}, claims))
    signature = hmac.digest(os.environ["JWT_SECRET"].encode(), text, "sha256")
    return (text + b"." + encode(signature)).decode()
