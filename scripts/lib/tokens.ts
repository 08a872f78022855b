import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseEnv } from "node:util";
import { envOption, PRODUCTION, variablesOf } from "./environments.ts";
import { CommandError, ROOT } from "./project.ts";
import { signClaims } from "./sign.ts";

/** The bearer of a token (docs/contract/interface.md, 2). */
export type Bearer =
  | { scope: "customer"; customerId: string }
  | { scope: "feed"; accounts: readonly string[] | "*" }
  | { scope: "export" | "feed restore" | "feed export"; accounts: "*" }
  | { scope: "lookup" };

export interface Signing {
  secret: string;
  seconds: number;
  /** The subject of a token that is not a customer's. */
  client: string;
  /** The environment of the service that will get the token. */
  env: string;
}

/** Signs a token with the issuer, the audience and the names of claims that wrangler.toml sets. */
export function signToken(bearer: Bearer, { secret, seconds, client, env }: Signing): Promise<string> {
  const { JWT_ISSUER: iss, JWT_AUDIENCE: aud, JWT_SCOPE_CLAIM, JWT_SUBJECT_CLAIM } = variablesOf(env);
  const bearerClaims =
    bearer.scope === "customer"
      ? {
          sub: bearer.customerId,
          [JWT_SCOPE_CLAIM || "scope"]: bearer.scope,
          [JWT_SUBJECT_CLAIM || "sub"]: bearer.customerId,
        }
      : { sub: client, ...bearer };
  const exp = Math.floor(Date.now() / 1_000) + seconds;
  return signClaims({ ...bearerClaims, ...(iss && { iss }), ...(aud && { aud }), exp }, secret);
}

const DAY_SECONDS = 86_400;
/** How long a token for this machine is valid. Long, because `npm start` prints commands with such a token. */
export const DEV_TOKEN_DAYS = 30;

/** A token for the service on this machine, signed with its secret. */
export function devToken(bearer: Bearer, env = PRODUCTION, days = DEV_TOKEN_DAYS): Promise<string> {
  return signToken(bearer, { client: "development", env, seconds: days * DAY_SECONDS, secret: devSecret(env) });
}

const LOCAL = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?\/?$/;

export function isLocal(url: string): boolean {
  return LOCAL.test(url);
}

const SCOPE_NAMES = {
  feed: "a feed token",
  export: "an export token",
  "feed restore": "a restore token",
  "feed export": "an undo token",
};

/**
 * The token for a service: that of `--token`, or else that of the shell. If there is neither, a local service gets a
 * new token.
 * @throws a CommandError that asks for a token.
 */
export async function tokenFor(
  { url, token, env }: { url: string; token?: string; env: string },
  scope: keyof typeof SCOPE_NAMES,
): Promise<string> {
  const existingToken = token ?? process.env.LOYALTY_EDGE_TOKEN;
  if (existingToken !== undefined) return existingToken;
  if (isLocal(url)) return devToken({ scope, accounts: "*" }, env, 1);
  throw new CommandError(`Name ${SCOPE_NAMES[scope]} for this service: --token TOKEN, or LOYALTY_EDGE_TOKEN.`);
}

/** The file from which `wrangler dev` takes the secrets of an environment. */
export function devVarsOf(env: string): string {
  return env === PRODUCTION ? ".dev.vars" : `.dev.vars.${env}`;
}

/** Creates a secret for an environment on this machine, if it has none. */
export function ensureDevVars(env = PRODUCTION): void {
  const file = path.join(ROOT, devVarsOf(env));
  if (existsSync(file)) return;
  writeFileSync(file, `JWT_SECRET="${randomBytes(32).toString("base64url")}"\n`, { mode: 0o600 });
}

/**
 * The secret of an environment's service on this machine. Creates a missing secret for production only: a token for
 * another environment may be meant for a deployment, which would refuse a token with a new secret.
 * @throws a CommandError if there is no secret.
 */
export function devSecret(env = PRODUCTION): string {
  if (env === PRODUCTION) ensureDevVars();
  const { JWT_SECRET: secret } = readDevVars(env);
  if (secret) return secret;
  throw new CommandError(
    `${devVarsOf(env)} has no JWT_SECRET. Give the secret of ${env} as JWT_SECRET, or delete the file and run npm start --${envOption(env)}`,
  );
}

/** The variables of an environment's file. There are none if there is no file. */
export function readDevVars(env: string): { JWT_SECRET?: string; JWT_SECRET_PREVIOUS?: string } {
  const file = path.join(ROOT, devVarsOf(env));
  return existsSync(file) ? parseEnv(readFileSync(file, "utf8")) : {};
}
