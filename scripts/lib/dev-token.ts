import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseEnv } from "node:util";
import { flagOf, PRODUCTION } from "./environments.ts";
import { CommandError, ROOT } from "./project.ts";
import { type Bearer, signToken } from "./signed-token.ts";

const DAY_SECONDS = 86_400;
/** The demo's links should go on working for a while. */
export const DEV_TOKEN_DAYS = 30;

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

/** A token of the development server, signed with its own secret. */
function devToken(bearer: Bearer, days = DEV_TOKEN_DAYS, env = PRODUCTION): Promise<string> {
  return signToken(bearer, { client: "development", env, seconds: days * DAY_SECONDS, secret: devSecret(env) });
}

export function devCustomerToken(customerId: string, days?: number, env?: string): Promise<string> {
  return devToken({ scope: "customer", customerId }, days, env);
}

export function devExportToken(days?: number, env?: string): Promise<string> {
  return devToken({ scope: "export", accounts: "*" }, days, env);
}

export function devRestoreToken(days?: number, env?: string): Promise<string> {
  return devToken({ scope: "feed restore", accounts: "*" }, days, env);
}

export function devFeedToken(accounts: readonly string[] | "*", days?: number, env?: string): Promise<string> {
  return devToken({ scope: "feed", accounts }, days, env);
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
