import { sign } from "hono/jwt";
import { variablesOf } from "./environments.ts";

/** Who a token is for, as docs/contract/interface.md, 2 has it. */
export type Bearer =
  | { scope: "customer"; customerId: string }
  | { scope: "feed"; accounts: readonly string[] | "*" }
  | { scope: "export" | "feed restore"; accounts: "*" };

export interface Signing {
  secret: string;
  seconds: number;
  /** Who signs, for what is no customer's. */
  client: string;
  /** The environment whose service is to take it. */
  env: string;
}

/** A token that the service takes: it names the issuer and the audience, and has the claims, that wrangler.toml asks for. */
export function signToken(bearer: Bearer, signing: Signing): Promise<string> {
  const { secret, seconds, client, env } = signing;
  const { JWT_ISSUER: iss, JWT_AUDIENCE: aud, JWT_SCOPE_CLAIM, JWT_SUBJECT_CLAIM } = variablesOf(env);
  const who =
    bearer.scope === "customer"
      ? {
          sub: bearer.customerId,
          [JWT_SCOPE_CLAIM || "scope"]: bearer.scope,
          [JWT_SUBJECT_CLAIM || "sub"]: bearer.customerId,
        }
      : { sub: client, ...bearer };
  const claims = {
    ...who,
    ...(iss && { iss }),
    ...(aud && { aud }),
    exp: Math.floor(Date.now() / 1000) + seconds,
  };
  return sign(claims, secret, "HS256");
}
