import { randomBytes, randomUUID } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseEnv } from "node:util";
import { decode } from "hono/utils/jwt/jwt";
import { envOption, PRODUCTION, variablesOf } from "./environments.ts";
import { CommandError, ROOT, shellVariables } from "./project.ts";
import { SECRET_NAMES, type SecretName, secretNameOf, signClaims } from "./sign.ts";

/** The bearer of a token (docs/contract/interface.md, 2). */
export type Bearer =
  | { scope: "customer"; customerId: string }
  | { scope: "feed"; accounts: readonly string[] | "*" }
  | { scope: "export" | "feed restore" | "feed export"; accounts: "*" }
  | { scope: "till"; accounts: readonly string[] | "*"; stores?: readonly string[] | undefined };

export interface Signing {
  secret: string;
  seconds: number;
  /** The subject of a token that is not a customer's. */
  name: string;
  /** The environment of the service that will get the token. */
  env: string;
  /** By this id REVOKED_TOKENS can list the token (docs/incidents.md). */
  jti?: string;
}

/** Signs a token with the issuer, the audience and the names of claims that the program sets. */
export function signToken(
  bearer: Bearer,
  { secret, seconds, name, env, jti = randomUUID() }: Signing,
): Promise<string> {
  const { JWT_ISSUER: iss, JWT_AUDIENCE: aud, JWT_SCOPE_CLAIM, JWT_SUBJECT_CLAIM } = variablesOf(env);
  const bearerClaims =
    bearer.scope === "customer"
      ? {
          sub: bearer.customerId,
          [JWT_SCOPE_CLAIM || "scope"]: bearer.scope,
          [JWT_SUBJECT_CLAIM || "sub"]: bearer.customerId,
        }
      : { sub: name, ...bearer };
  const exp = Math.floor(Date.now() / 1_000) + seconds;
  return signClaims({ ...bearerClaims, ...(iss && { iss }), ...(aud && { aud }), jti, exp }, secret);
}

const DAY_SECONDS = 86_400;
/** How long a token for this machine is valid. Long, because `npm start` prints commands with such a token. */
export const DEV_TOKEN_DAYS = 30;

/** A token for the service on this machine, signed with its secret. */
export function devToken(bearer: Bearer, env = PRODUCTION, days = DEV_TOKEN_DAYS): Promise<string> {
  const secret = devSecret(secretNameOf(bearer.scope), env);
  return signToken(bearer, { name: "development", env, seconds: days * DAY_SECONDS, secret });
}

const LOCAL = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?\/?$/;

export function isLocal(url: string): boolean {
  return LOCAL.test(url);
}

/** The token with a scope, and how `npm run token` is called for it. */
const TOKENS = {
  feed: ["a feed token", "feed '*'"],
  export: ["an export token", "export"],
  "feed restore": ["a restore token", "restore"],
  "feed export": ["an undo token", "undo"],
} as const;

/**
 * The token for a service: that of `--token`, or else that of the shell. If there is neither, a local service gets a
 * new token.
 * @throws a CommandError that asks for a token.
 */
export async function tokenFor(
  { url, token, env }: { url: string; token?: string; env: string },
  scope: keyof typeof TOKENS,
): Promise<string> {
  const existingToken = token || shellVariables().LOYALTY_EDGE_TOKEN;
  if (existingToken !== undefined) return withScope(existingToken, scope);
  if (isLocal(url)) return devToken({ scope, accounts: "*" }, env, 1);
  throw new CommandError(`Name ${TOKENS[scope][0]} for this service: --token TOKEN, or LOYALTY_EDGE_TOKEN.`);
}

/** The token, unless it lacks a word of the scope: a command may work for hours before the service refuses it. */
function withScope(token: string, scope: keyof typeof TOKENS): string {
  const found = scopeOf(token);
  const words = found?.split(/[ ,]/) ?? [];
  if (found === null || scope.split(" ").every((word) => words.includes(word))) return token;
  const [name, command] = TOKENS[scope];
  throw new CommandError(`This needs ${name} (npm run token -- ${command}): the token has the scope "${found}".`);
}

/** The scope that a token says; null: only the service can tell what is wrong with the token. */
function scopeOf(token: string): string | null {
  try {
    return String(decode(token).payload.scope ?? "");
  } catch {
    return null;
  }
}

/** The file from which `wrangler dev` takes the secrets of a program. */
export function devVarsOf(env: string): string {
  return env === PRODUCTION ? ".dev.vars" : `.dev.vars.${env}`;
}

/** Creates the secrets that an environment lacks on this machine. */
export function ensureDevVars(env = PRODUCTION): void {
  const existingVars = readDevVars(env);
  const missingNames = SECRET_NAMES.filter((name) => !existingVars[name]);
  // The last line of a file may lack its end.
  const lines = missingNames.map((name) => `\n${name}="${randomBytes(32).toString("base64url")}"\n`);
  if (lines.length > 0) appendFileSync(path.join(ROOT, devVarsOf(env)), lines.join(""), { mode: 0o600 });
}

/**
 * A secret of an environment's service on this machine. Creates a missing secret for production only: a token for
 * another environment may be meant for a deployment, which would refuse a token with a new secret.
 * @throws a CommandError if there is no secret.
 */
export function devSecret(name: SecretName, env = PRODUCTION): string {
  if (env === PRODUCTION) ensureDevVars();
  const secret = readDevVars(env)[name];
  if (secret) return secret;
  throw new CommandError(
    `${devVarsOf(env)} has no ${name}. Give the secret of ${env} as ${name}, or run npm start --${envOption(env)}`,
  );
}

/** The variables of an environment's file. There are none if there is no file. */
export function readDevVars(env: string): Record<string, string | undefined> {
  const file = path.join(ROOT, devVarsOf(env));
  return existsSync(file) ? parseEnv(readFileSync(file, "utf8")) : {};
}
