import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseEnv } from "node:util";
import { PRODUCTION } from "./environments.ts";
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

/** @throws a CommandError where the environment's file has none. */
export function devSecret(env = PRODUCTION): string {
  ensureDevVars(env);
  const { JWT_SECRET: secret = "" } = parseEnv(readFileSync(path.join(ROOT, devVarsOf(env)), "utf8"));
  if (secret === "")
    throw new CommandError(
      `There is no JWT_SECRET in ${devVarsOf(env)}. Set one, or delete the file to get a new one.`,
    );
  return secret;
}
