import { createHmac, createSecretKey } from "node:crypto";

const JWT_SECRET = "a-secret-for-the-simulation-only-a-secret-for-the-simulation-only";
const KEY = createSecretKey(JWT_SECRET, "utf8");

/** The variables and the secret of a service that runs in Node. */
export const SETTINGS = {
  JWT_SECRET,
  ENVIRONMENT: "simulation",
  NEARBY_RADIUS_MILES: "25",
  JWKS_URL: "",
  JWKS: "",
  JWT_ISSUER: "",
  JWT_AUDIENCE: "",
  CORS_ORIGINS: "",
  CUSTOMER_SEARCH: "all",
};

/** A token that expires after this many seconds. Signing is synchronous, so that the simulation waits for no thread. */
export function signToken(claims: Record<string, unknown>, { now, seconds }: { now: number; seconds: number }): string {
  const payload = { ...claims, exp: Math.floor(now / 1_000) + seconds };
  const text = [{ alg: "HS256", typ: "JWT" }, payload].map((part) => encode(JSON.stringify(part))).join(".");
  return `${text}.${createHmac("sha256", KEY).update(text).digest("base64url")}`;
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64url");
}
