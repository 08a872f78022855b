import { readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "smol-toml";
import { type Unstable_Config as Config, type Unstable_RawConfig as RawConfig, unstable_readConfig } from "wrangler";
import { horizonOf } from "../../src/feed/horizon.ts";
import { VARIABLES, variableFault } from "../../src/service/variables.ts";
import { CommandError, ROOT } from "./project.ts";

/** The name of the top level of wrangler.toml. */
export const PRODUCTION = "production";
/** Every change is tried here first. A new environment gets the bindings of staging. */
export const STAGING = "staging";
/** `npm start` runs this environment: its answers have more details, and no rate is limited. */
export const DEVELOPMENT = "development";
export const CONFIG = path.join(ROOT, "wrangler.toml");

/** The environments of wrangler.toml, production first. */
export function environmentNames(file = CONFIG): string[] {
  return [PRODUCTION, ...Object.keys(readConfigFile(file).env ?? {})];
}

/** An environment as wrangler reads it, with the settings that it inherits from the top level. */
export function configOf(env: string, file = CONFIG): Config {
  return readable(() =>
    unstable_readConfig({ config: file, env: env === PRODUCTION ? "" : env }, { hideWarnings: true }),
  );
}

/** The variables of an environment. All of this project's variables are texts. */
export function variablesOf(env: string, file = CONFIG): Record<string, string> {
  const texts = Object.entries(configOf(env, file).vars).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return Object.fromEntries(texts);
}

/** @throws a CommandError if the environment names no database. */
export function databaseName(env: string): string {
  const name = configOf(env).d1_databases.find(({ binding }) => binding === "DB")?.database_name;
  if (name === undefined) throw new CommandError(`wrangler.toml names no database for DB in ${env}.`);
  return name;
}

/** The address of an environment with a route of its own. */
export function addressOf(env: string): string | undefined {
  return routesOf(configOf(env))[0];
}

/** The bucket that an environment binds for history. */
export function historyBucket(env: string) {
  return configOf(env).r2_buckets.find(({ binding }) => binding === "HISTORY");
}

/** Events from before this time leave for history; null: no events leave. @throws a CommandError for a wrong variable. */
export function configuredHorizon(env: string): string | null {
  refuseWrongVariables(env);
  const { HISTORY_MONTHS: months = "" } = variablesOf(env);
  return months === "" ? null : horizonOf({ months: Number(months) }, new Date());
}

/** @throws a CommandError that names an unknown variable, or a variable with a wrong value. */
export function refuseWrongVariables(env: string): void {
  const { vars } = configOf(env);
  // With a misspelt JWT_ISSUER the service would accept every issuer.
  const unknown = Object.keys(vars).find((name) => !(name in VARIABLES));
  if (unknown !== undefined) throw new CommandError(`There is no variable ${unknown}, which ${env} sets.`);
  const fault = variableFault({ ...vars, HISTORY: historyBucket(env) });
  if (fault !== null)
    throw new CommandError(`${fault.name} of ${env} must ${fault.must}. docs/deploying.md, Variables`);
}

/** The option for commands of this project; empty for production. */
export function flagOf(env: string): string {
  return env === PRODUCTION ? "" : ` --env ${env}`;
}

/** The option for wrangler, which has no name for the top level. */
export function environmentFlag(env: string): string {
  return `--env=${env === PRODUCTION ? "" : env}`;
}

/** @throws a CommandError if one environment could see, change, slow down or pass for another through a shared resource. */
export function refuseShared(env: string, file = CONFIG): void {
  const own = possessionsOf(env, file);
  for (const other of environmentNames(file).filter((name) => name !== env)) {
    const others = possessionsOf(other, file);
    const shared = own.find((possession) => others.includes(possession));
    if (shared !== undefined) throw new CommandError(`${env} and ${other} would share ${shared}: give each its own.`);
  }
}

function possessionsOf(env: string, file: string): string[] {
  const config = configOf(env, file);
  const { JWKS_URL = "", JWKS = "", JWT_AUDIENCE = "" } = variablesOf(env, file);
  const keys = JWKS_URL || JWKS;
  const possessions: [what: string, names: (string | undefined)[]][] = [
    ["the Worker", [config.name]],
    ["the database", config.d1_databases.flatMap((one) => [one.database_name, one.database_id])],
    ["the KV namespace", config.kv_namespaces.map(({ id }) => id)],
    ["the bucket", config.r2_buckets.map(({ bucket_name }) => bucket_name)],
    ["the namespace_id of rate limits", config.ratelimits.map(({ namespace_id }) => namespace_id)],
    ["the route", routesOf(config)],
    ["the tokens of", [keys === "" ? undefined : `${keys} for "${JWT_AUDIENCE}"`]],
  ];
  return possessions.flatMap(([what, names]) =>
    names.filter((name) => name !== undefined).map((name) => `${what} ${name}`),
  );
}

function routesOf({ route, routes = [] }: Config): string[] {
  return [route ?? [], routes].flat().map((one) => (typeof one === "string" ? one : one.pattern));
}

/** wrangler.toml as it is written: all environments, without defaults. */
export function readConfigFile(file: string): RawConfig {
  return parseToml(readFileSync(file, "utf8"));
}

export function parseToml(text: string): RawConfig {
  return readable(() => parse(text));
}

function readable<Read>(read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    throw new CommandError(`wrangler.toml cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}
