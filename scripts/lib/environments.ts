import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "smol-toml";
import type { Unstable_RawConfig as RawConfig } from "wrangler";
import * as z from "zod";
import { VARIABLES, variableFault } from "../../src/service/variables.ts";
import { CommandError, ROOT } from "./project.ts";
import { replaceFile } from "./whole-file.ts";

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
  vars: z.record(z.string(), z.unknown()).default({}),
  metrics: z.boolean().default(false),
  jwks_service: z.string().optional(),
  wrangler: z
    .record(z.string(), z.unknown())
    .default({})
    .refine((settings) => refusedIn(settings) === undefined, {
      error: ({ input }) => `${refusedIn(input as object)} may not be set here`,
    }),
});

export type Settings = ReturnType<typeof settingsOf>;

/** The first setting of wrangler that a program may not replace. */
function refusedIn(settings: object): string | undefined {
  return Object.entries(settings).find(([key, value]) => REFUSED.includes(key) || bindsSomething(value))?.[0];
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
  return { ...table, service, worker, databaseName: table.database_name ?? worker };
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
  const texts = Object.entries(allVariables(env)).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return Object.fromEntries(texts);
}

function allVariables(env: string): Record<string, unknown> {
  const { service, vars } = settingsOf(env);
  return { ...service.vars, ...vars, ENVIRONMENT: env };
}

/** @throws a CommandError that names an unknown variable, or a variable with a wrong value. */
export function refuseWrongVariables(env: string): void {
  const { vars } = tableOf(env);
  // With a misspelt JWT_ISSUER the service would accept every issuer.
  const unknownName = Object.keys(vars).find((name) => !(name in VARIABLES));
  if (unknownName !== undefined) throw new CommandError(`There is no variable ${unknownName}, which ${env} sets.`);
  if ((vars.ENVIRONMENT ?? env) !== env)
    throw new CommandError(`ENVIRONMENT of ${env} is always the name of the program: leave it out.`);
  const fault = variableFault(allVariables(env));
  if (fault !== null)
    throw new CommandError(`${fault.name} of ${env} must ${fault.must}. docs/deploying.md, Variables`);
}

/** The option that names the program to commands of this project; empty for production. */
export function envOption(env: string): string {
  return env === PRODUCTION ? "" : ` --env ${env}`;
}

/** The file from which `wrangler dev` takes the secrets of a program. */
export function devVarsOf(env: string): string {
  return env === PRODUCTION ? ".dev.vars" : `.dev.vars.${env}`;
}

/** @throws a CommandError if the program shares a resource, such as a database or a route, with another. */
export function refuseShared(env: string): void {
  const resources = resourcesOf(env);
  for (const otherEnv of environmentNames().filter((name) => name !== env)) {
    const otherResources = resourcesOf(otherEnv);
    const sharedResource = resources.find((resource) => otherResources.includes(resource));
    if (sharedResource !== undefined)
      throw new CommandError(`${env} and ${otherEnv} would share ${sharedResource}: give each its own.`);
  }
}

/** The names of everything that no other program may use, such as `the database loyalty-edge`. */
function resourcesOf(env: string): string[] {
  const { worker, databaseName, database_id, kv_id, routes = [] } = settingsOf(env);
  const { JWKS_URL = "", JWKS = "", JWT_AUDIENCE = "" } = variablesOf(env);
  const keys = JWKS_URL || JWKS;
  const namesByType: [type: string, names: (string | undefined)[]][] = [
    ["the Worker", [worker]],
    ["the database", [databaseName, database_id]],
    ["the KV namespace", [kv_id]],
    ["the route", routes.map((route) => (typeof route === "string" ? route : route.pattern))],
    ["the tokens of", [keys === "" ? undefined : `${keys} for "${JWT_AUDIENCE}"`]],
  ];
  return namesByType.flatMap(([type, names]) =>
    names.filter((name) => name !== undefined).map((name) => `${type} ${name}`),
  );
}

/** Where wrangler works: with a program's resources at Cloudflare, or with its local data, which has no ids. */
export type Place = { databaseId?: string | undefined; namespaceId?: string | undefined } | "local";

/** Writes the configuration of a program for wrangler. Returns the name of the file. */
export function writeConfig(env: string, place: Place = {}): string {
  const folder = path.join(ROOT, "dist", "programs", env, ...(place === "local" ? [place] : []));
  return writeWranglerFile(path.join(folder, "wrangler.json"), configOf(env, place));
}

/** A running `npm start` reads its file again at each change, so the file is replaced in one step, and only if it differs. */
export function writeWranglerFile(file: string, config: object): string {
  const text = JSON.stringify(config, null, 2);
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) replaceFile(file, text);
  return file;
}

/** The configuration of a program: the service of wrangler.toml with the settings of environments.toml. */
export function configOf(env: string, place: Place = {}) {
  const { service, worker, databaseName, routes, metrics, jwks_service, ...table } = settingsOf(env);
  const { build: _, ...inherited } = { ...service, ...(table.wrangler as RawConfig) };
  const { databaseId = table.database_id, namespaceId = table.kv_id } = place === "local" ? {} : place;
  const ids = place === "local" ? {} : { database_id: databaseId, id: namespaceId };
  const dataset = worker.replaceAll("-", "_");
  return {
    ...inherited,
    name: worker,
    main: absolute(service.main),
    ...(table.account_id !== undefined && { account_id: table.account_id }),
    ...(routes && { routes: routes as RawConfig["routes"] }),
    vars: allVariables(env) as Record<string, string>,
    assets: { ...inherited.assets, directory: absolute(inherited.assets?.directory) },
    d1_databases: (service.d1_databases ?? []).map(({ migrations_dir, ...database }) => ({
      ...database,
      database_name: databaseName,
      migrations_dir: absolute(migrations_dir),
      ...(ids.database_id && { database_id: ids.database_id }),
    })),
    kv_namespaces: (service.kv_namespaces ?? []).map((namespace) => ({ ...namespace, ...(ids.id && { id: ids.id }) })),
    ratelimits: (service.ratelimits ?? []).map((limit) => ({
      ...limit,
      namespace_id: limitId(`${worker} ${limit.name}`),
    })),
    ...(metrics && { analytics_engine_datasets: [{ binding: "METRICS", dataset }] }),
    ...(jwks_service !== undefined && { services: [{ binding: "JWKS_SERVICE", service: jwks_service }] }),
  };
}

/** Workers of an account that use one id share its counters, even Workers of other projects. */
function limitId(name: string): string {
  return String(createHash("sha256").update(name).digest().readUInt32BE() >>> 1);
}

function absolute(file = ""): string {
  return path.resolve(ROOT, file);
}

function readToml(file: string): Record<string, unknown> {
  try {
    return parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new CommandError(`${path.basename(file)} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}
