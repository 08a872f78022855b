import { createHmac } from "node:crypto";

const encode = (part) => Buffer.from(JSON.stringify(part)).toString("base64url");

export function customerToken(customerId) {
  const claims = { scope: "customer", sub: customerId, exp: Math.floor(Date.now() / 1000) + 900 };
  const text = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
  return `${text}.${createHmac("sha256", process.env.JWT_SECRET).update(text).digest("base64url")}`;
}
