import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseEnv } from "node:util";
import { flagOf, PRODUCTION, variablesOf } from "./environments.ts";
import { CommandError, ROOT } from "./project.ts";
import { signClaims } from "./sign.ts";

/** Who a token is for, as docs/contract/interface.md, 2 has it. */
export type Bearer =
  | { scope: "customer"; customerId: string }
  | { scope: "feed"; accounts: readonly string[] | "*" }
  | { scope: "export" | "feed restore"; accounts: "*" }
  | { scope: "lookup" };

export interface Signing {
  secret: string;
  seconds: number;
  /** Who signs, for what is no customer's. */
  client: string;
  /** The environment whose service is to take it. */
  env: string;
}

/** A token that the service takes: it names the issuer and the audience, and has the claims, that wrangler.toml asks for. */
export function signToken(bearer: Bearer, { secret, seconds, client, env }: Signing): Promise<string> {
  const { JWT_ISSUER: iss, JWT_AUDIENCE: aud, JWT_SCOPE_CLAIM, JWT_SUBJECT_CLAIM } = variablesOf(env);
  const who =
    bearer.scope === "customer"
      ? {
          sub: bearer.customerId,
          [JWT_SCOPE_CLAIM || "scope"]: bearer.scope,
          [JWT_SUBJECT_CLAIM || "sub"]: bearer.customerId,
        }
      : { sub: client, ...bearer };
  const exp = Math.floor(Date.now() / 1_000) + seconds;
  return signClaims({ ...who, ...(iss && { iss }), ...(aud && { aud }), exp }, secret);
}

const DAY_SECONDS = 86_400;
/** The demo's links should go on working for a while. */
export const DEV_TOKEN_DAYS = 30;

/** A token of the service on this machine, signed with its own secret. */
export function devToken(bearer: Bearer, env = PRODUCTION, days = DEV_TOKEN_DAYS): Promise<string> {
  return signToken(bearer, { client: "development", env, seconds: days * DAY_SECONDS, secret: devSecret(env) });
}

const LOCAL = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?\/?$/;

/** Whether a service is on this machine. */
export function isLocal(url: string): boolean {
  return LOCAL.test(url);
}

const NAMES = { feed: "a feed token", export: "an export token", "feed restore": "a restore token" };

/**
 * The token for a service: the one given, else that of the shell, else for a local service one that is signed here.
 * @throws a CommandError that asks for one.
 */
export async function tokenFor(
  { url, token, env }: { url: string; token?: string; env: string },
  scope: keyof typeof NAMES,
): Promise<string> {
  const given = token ?? process.env.LOYALTY_EDGE_TOKEN;
  if (given !== undefined) return given;
  if (isLocal(url)) return devToken({ scope, accounts: "*" }, env, 1);
  throw new CommandError(`Name ${NAMES[scope]} for this service: --token TOKEN, or LOYALTY_EDGE_TOKEN.`);
}

/** The file from which `wrangler dev` takes the secrets of an environment. */
export function devVarsOf(env: string): string {
  return env === PRODUCTION ? ".dev.vars" : `.dev.vars.${env}`;
}

/** Writes a secret of its own for an environment on this machine, where it has none. */
export function ensureDevVars(env = PRODUCTION): void {
  const file = path.join(ROOT, devVarsOf(env));
  if (existsSync(file)) return;
  writeFileSync(file, `JWT_SECRET="${randomBytes(32).toString("base64url")}"\n`, { mode: 0o600 });
}

/**
 * The secret of an environment's service on this machine. Only production's is made here: a token for another environment
 * may be meant for its deployment, and signed with a new secret it would be good nowhere.
 * @throws a CommandError where there is none.
 */
export function devSecret(env = PRODUCTION): string {
  if (env === PRODUCTION) ensureDevVars();
  const secret = readDevVars(env)?.JWT_SECRET;
  if (secret === undefined)
    throw new CommandError(
      `This machine has no secret of ${env}. Give its JWT_SECRET, or run npm start --${flagOf(env)} first.`,
    );
  if (secret === "")
    throw new CommandError(
      `There is no JWT_SECRET in ${devVarsOf(env)}. Set one, or delete the file to get a new one.`,
    );
  return secret;
}

/** What an environment's file says; null where there is no file. */
export function readDevVars(env: string): { JWT_SECRET: string; JWT_SECRET_PREVIOUS?: string } | null {
  const file = path.join(ROOT, devVarsOf(env));
  if (!existsSync(file)) return null;
  return { JWT_SECRET: "", ...parseEnv(readFileSync(file, "utf8")) };
}
