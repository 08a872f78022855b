import { createHmac, createSecretKey } from "node:crypto";

export const JWT_SECRET = "a-secret-for-the-simulation-only-a-secret-for-the-simulation-only";
const KEY = createSecretKey(JWT_SECRET, "utf8");

/** A token of these claims, good for so many seconds. */
export function signToken(claims: Record<string, unknown>, { now, seconds }: { now: number; seconds: number }): string {
  const payload = { ...claims, exp: Math.floor(now / 1_000) + seconds };
  const text = [{ alg: "HS256", typ: "JWT" }, payload].map((part) => encode(JSON.stringify(part))).join(".");
  return `${text}.${createHmac("sha256", KEY).update(text).digest("base64url")}`;
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64url");
}
