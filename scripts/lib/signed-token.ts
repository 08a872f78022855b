import { sign } from "hono/jwt";
import { bindingName, DEFAULT_PROGRAM } from "../../src/programs/programs.ts";
import { variablesOf } from "./program-config.ts";

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
  program?: string | undefined;
}

/** A token that the service takes: it names the issuer and the audience, and has the claims, that wrangler.toml asks for. */
export function signToken(bearer: Bearer, signing: Signing): Promise<string> {
  const { secret, seconds, client, env, program = DEFAULT_PROGRAM } = signing;
  const variables = variablesOf(env);
  const settingOf = (name: string) => variables[bindingName(name, program)] ?? variables[name] ?? "";
  const [iss, aud] = [settingOf("JWT_ISSUER"), settingOf("JWT_AUDIENCE")];
  const who =
    bearer.scope === "customer"
      ? {
          sub: bearer.customerId,
          [settingOf("JWT_SCOPE_CLAIM") || "scope"]: bearer.scope,
          [settingOf("JWT_SUBJECT_CLAIM") || "sub"]: bearer.customerId,
        }
      : { sub: client, ...bearer };
  const claims = {
    ...who,
    ...(iss !== "" && { iss }),
    ...(aud !== "" && { aud }),
    ...(program !== DEFAULT_PROGRAM && { program }),
    exp: Math.floor(Date.now() / 1000) + seconds,
  };
  return sign(claims, secret, "HS256");
}
