import { readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "smol-toml";
import type { Unstable_RawConfig as RawConfig } from "wrangler";
import * as z from "zod";
import { VARIABLES, variableFault } from "../../src/service/variables.ts";
import { CommandError, ROOT } from "./project.ts";

/** The program that commands mean without `--env`. */
export const PRODUCTION = "production";
/** The program in which every change is tried first. */
export const STAGING = "staging";
/** The value of ENVIRONMENT under `npm start`: answers have more details, and no rate is limited. */
export const DEVELOPMENT = "development";

/** Only this project changes wrangler.toml, and only the operator changes environments.toml. */
const SERVICE_FILE = path.join(ROOT, "wrangler.toml");
export const PROGRAMS_FILE = path.join(ROOT, "environments.toml");
export const PROGRAM_NAME = /^[a-z0-9-]{1,32}$/;

/** Settings of wrangler that would break the service, or that have a key of their own in a table. */
const REFUSED = [
  ...["main", "migrations", "triggers", "secrets", "env", "name", "account_id", "route", "routes", "vars"],
  ...["durable_objects", "ratelimits", "send_email", "unsafe"],
];

const Table = z.strictObject({
  name: z.string().optional(),
  database_name: z.string().optional(),
  database_id: z.string().optional(),
  kv_id: z.string().optional(),
  account_id: z.string().optional(),
  routes: z.array(z.union([z.string(), z.looseObject({ pattern: z.string() })])).optional(),
  vars: z.record(z.string(), z.string()).default({}),
  metrics: z.boolean().default(false),
  jwks_service: z.string().optional(),
  wrangler: z.record(z.string(), z.unknown()).default({}).superRefine(refuseSettings),
});

function refuseSettings(settings: object, context: z.RefinementCtx): void {
  for (const [key, value] of Object.entries(settings))
    if (REFUSED.includes(key) || bindsSomething(value)) context.addIssue(`${key} may not be set here`);
}

function bindsSomething(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, item]) => /^bindings?$/.test(key) || bindsSomething(item));
}

/** The programs of environments.toml, production first. */
export function environmentNames(): string[] {
  const names = Object.keys(readToml(PROGRAMS_FILE));
  return names.sort((first, second) => Number(second === PRODUCTION) - Number(first === PRODUCTION));
}

/** What wrangler.toml and a table of environments.toml say of a program. @throws a CommandError if a setting is wrong. */
export function settingsOf(env: string) {
  const service: RawConfig = readToml(SERVICE_FILE);
  const table = tableOf(env);
  const worker = table.name ?? (env === PRODUCTION ? String(service.name) : `${service.name}-${env}`);
  const patterns = table.routes?.map((route) => (typeof route === "string" ? route : route.pattern)) ?? [];
  const databaseName = table.database_name ?? worker;
  return { ...table, service, worker, patterns, databaseName, namespaceTitle: `${worker}-cache` };
}

export function tableOf(env: string): z.output<typeof Table> {
  const tables = readToml(PROGRAMS_FILE);
  const wrongName = Object.keys(tables).find((name) => !PROGRAM_NAME.test(name) || name === DEVELOPMENT);
  if (wrongName !== undefined)
    throw new CommandError(`environments.toml: no program may have the name ${wrongName}: give it another name.`);
  if (!(env in tables)) throw new CommandError(`environments.toml has no table [${env}].`);
  const { data, error } = Table.safeParse(tables[env]);
  if (data === undefined) throw new CommandError(`environments.toml, [${env}]:\n${z.prettifyError(error)}`);
  return data;
}

/** The variables of a program. All of this project's variables are texts. */
export function variablesOf(env: string): Record<string, string> {
  const { service, vars } = settingsOf(env);
  return { ...(service.vars as Record<string, string>), ...vars, ENVIRONMENT: env };
}

/** @throws a CommandError that names an unknown variable, or a variable with a wrong value. */
export function refuseWrongVariables(env: string): void {
  const { vars } = tableOf(env);
  // With a misspelt JWT_ISSUER the service would accept every issuer.
  const unknownName = Object.keys(vars).find((name) => !(name in VARIABLES));
  if (unknownName !== undefined) throw new CommandError(`There is no variable ${unknownName}, which ${env} sets.`);
  if ((vars.ENVIRONMENT ?? env) !== env)
    throw new CommandError(`ENVIRONMENT of ${env} is always the name of the program: leave it out.`);
  const fault = variableFault(variablesOf(env));
  if (fault !== null)
    throw new CommandError(`${fault.name} of ${env} must ${fault.must}. docs/deploying.md, Variables`);
}

/** The option that names the program to commands of this project; empty for production. */
export function envOption(env: string): string {
  return env === PRODUCTION ? "" : ` --env ${env}`;
}

/** @throws a CommandError if the program shares a resource, such as a database or a route, with another. */
export function refuseShared(env: string): void {
  const resources = new Set(resourcesOf(env));
  for (const otherEnv of environmentNames().filter((name) => name !== env)) {
    const shared = resourcesOf(otherEnv).find((resource) => resources.has(resource));
    if (shared !== undefined)
      throw new CommandError(`${env} and ${otherEnv} would share ${shared}: give each its own.`);
  }
}

/** The names of everything that no other program may use, such as `the database loyalty-edge`. */
function resourcesOf(env: string): string[] {
  const { worker, databaseName, database_id, kv_id, patterns } = settingsOf(env);
  const { JWKS_URL = "", JWKS = "", JWT_AUDIENCE = "" } = variablesOf(env);
  const keys = JWKS_URL || JWKS;
  return [
    ["the Worker", worker],
    ["the database", databaseName],
    ["the database", database_id],
    ["the KV namespace", kv_id],
    ...patterns.map((pattern) => ["the route", pattern]),
    ["the tokens of", keys && `${keys} for "${JWT_AUDIENCE}"`],
  ].flatMap(([type, name]) => (name ? `${type} ${name}` : []));
}

function readToml(file: string): Record<string, unknown> {
  try {
    return parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new CommandError(`${path.basename(file)} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}
