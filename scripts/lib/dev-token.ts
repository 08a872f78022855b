import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseEnv } from "node:util";
import { bindingName, DEFAULT_PROGRAM } from "../../src/programs/programs.ts";
import { CommandError, ROOT } from "./project.ts";
import { type Bearer, signToken } from "./signed-token.ts";

export const DEV_VARS = path.join(ROOT, ".dev.vars");
const DAY_SECONDS = 86_400;
/** The demo's links should go on working for a while. */
export const DEV_TOKEN_DAYS = 30;

/** Writes `.dev.vars` from its example, with a secret of its own, where it is absent. */
export function ensureDevVars(): void {
  if (existsSync(DEV_VARS)) return;
  const example = readFileSync(`${DEV_VARS}.example`, "utf8");
  const secret = randomBytes(32).toString("base64url");
  writeFileSync(DEV_VARS, example.replace(/^JWT_SECRET=.*$/m, `JWT_SECRET="${secret}"`), { mode: 0o600 });
}

/** A token of the development server, signed with the secret in `.dev.vars`: the program's own where it has one. */
function devToken(bearer: Bearer, days = DEV_TOKEN_DAYS, program: string = DEFAULT_PROGRAM): Promise<string> {
  const signing = { client: "development", env: "production", program, seconds: days * DAY_SECONDS };
  return signToken(bearer, { ...signing, secret: devSecret(program) });
}

export function devCustomerToken(customerId: string, days?: number, program?: string): Promise<string> {
  return devToken({ scope: "customer", customerId }, days, program);
}

export function devExportToken(days?: number, program?: string): Promise<string> {
  return devToken({ scope: "export", accounts: "*" }, days, program);
}

export function devRestoreToken(days?: number, program?: string): Promise<string> {
  return devToken({ scope: "feed restore", accounts: "*" }, days, program);
}

export function devFeedToken(accounts: readonly string[] | "*", days?: number, program?: string): Promise<string> {
  return devToken({ scope: "feed", accounts }, days, program);
}

/** @throws a CommandError where `.dev.vars` has none. */
export function devSecret(program: string = DEFAULT_PROGRAM): string {
  ensureDevVars();
  const vars = parseEnv(readFileSync(DEV_VARS, "utf8"));
  const secret = vars[bindingName("JWT_SECRET", program)] || vars.JWT_SECRET || "";
  if (secret === "")
    throw new CommandError("There is no JWT_SECRET in .dev.vars. Set one, or delete the file to get a new one.");
  return secret;
}
