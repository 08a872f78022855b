import { createHmac, createSecretKey } from "node:crypto";
import { secretNameOf } from "../../scripts/lib/sign.ts";

const SECRETS = {
  JWT_SECRET: "a-secret-for-the-simulation-only-a-secret-for-the-simulation-only",
  FEED_JWT_SECRET: "another-secret-for-the-simulation-only-another-secret-for-it",
};
const KEYS = {
  JWT_SECRET: createSecretKey(SECRETS.JWT_SECRET, "utf8"),
  FEED_JWT_SECRET: createSecretKey(SECRETS.FEED_JWT_SECRET, "utf8"),
};

/** The variables and the secrets of a service that runs in Node. */
export const SETTINGS = {
  ...SECRETS,
  ENVIRONMENT: "simulation",
  NEARBY_RADIUS_MILES: "25",
  JWKS_URL: "",
  JWKS: "",
  JWT_ISSUER: "",
  JWT_AUDIENCE: "",
  CORS_ORIGINS: "",
  CUSTOMER_SEARCH: "all",
  CUSTOMER_WRITES: "read,mute,block",
};

/** A token that expires after this many seconds. Signing is synchronous, so that the simulation waits for no thread. */
export function signToken(claims: Record<string, unknown>, { now, seconds }: { now: number; seconds: number }): string {
  const payload = { ...claims, exp: Math.floor(now / 1_000) + seconds };
  const text = [{ alg: "HS256", typ: "JWT" }, payload].map((part) => encode(JSON.stringify(part))).join(".");
  return `${text}.${createHmac("sha256", KEYS[secretNameOf(claims.scope)]).update(text).digest("base64url")}`;
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64url");
}
