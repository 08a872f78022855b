import { readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "smol-toml";
import { type Unstable_Config as Config, type Unstable_RawConfig as RawConfig, unstable_readConfig } from "wrangler";
import { VARIABLES, variableFault } from "../../src/service/variables.ts";
import { CommandError, ROOT } from "./project.ts";

/** The name of the environment at the top level of wrangler.toml. */
export const PRODUCTION = "production";
/** The environment in which every change is tried first. A new environment gets its bindings. */
export const STAGING = "staging";
/** The value of ENVIRONMENT under `npm start`: answers have more details, and no rate is limited. */
export const DEVELOPMENT = "development";
export const CONFIG = path.join(ROOT, "wrangler.toml");

/** The environments of wrangler.toml, production first. */
export function environmentNames(file = CONFIG): string[] {
  return [PRODUCTION, ...Object.keys(readConfigFile(file).env ?? {})];
}

/** An environment as wrangler reads it, with the settings that it inherits from the top level. */
export function configOf(env: string, file = CONFIG): Config {
  return orCommandError(() =>
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

/** @throws a CommandError that names an unknown variable, or a variable with a wrong value. */
export function refuseWrongVariables(env: string): void {
  const { vars } = configOf(env);
  // With a misspelt JWT_ISSUER the service would accept every issuer.
  const unknownName = Object.keys(vars).find((name) => !(name in VARIABLES));
  if (unknownName !== undefined) throw new CommandError(`There is no variable ${unknownName}, which ${env} sets.`);
  const fault = variableFault(vars);
  if (fault !== null)
    throw new CommandError(`${fault.name} of ${env} must ${fault.must}. docs/deploying.md, Variables`);
}

/** The option that names the environment to commands of this project; empty for production. */
export function envOption(env: string): string {
  return env === PRODUCTION ? "" : ` --env ${env}`;
}

/** The option that names the environment to wrangler, for which the top level has an empty name. */
export function wranglerEnvOption(env: string): string {
  return `--env=${env === PRODUCTION ? "" : env}`;
}

/** @throws a CommandError if the environment shares a resource, such as a database or a rate limit, with another. */
export function refuseShared(env: string, file = CONFIG): void {
  const resources = resourcesOf(env, file);
  for (const otherEnv of environmentNames(file).filter((name) => name !== env)) {
    const otherResources = resourcesOf(otherEnv, file);
    const sharedResource = resources.find((resource) => otherResources.includes(resource));
    if (sharedResource !== undefined)
      throw new CommandError(`${env} and ${otherEnv} would share ${sharedResource}: give each its own.`);
  }
}

/** The names of everything that no other environment may use, such as `the database loyalty-edge`. */
function resourcesOf(env: string, file: string): string[] {
  const config = configOf(env, file);
  const routes = [config.route ?? [], config.routes ?? []].flat();
  const { JWKS_URL = "", JWKS = "", JWT_AUDIENCE = "" } = variablesOf(env, file);
  const keys = JWKS_URL || JWKS;
  const namesByType: [type: string, names: (string | undefined)[]][] = [
    ["the Worker", [config.name]],
    ["the database", config.d1_databases.flatMap((database) => [database.database_name, database.database_id])],
    ["the KV namespace", config.kv_namespaces.map(({ id }) => id)],
    ["the namespace_id of rate limits", config.ratelimits.map(({ namespace_id }) => namespace_id)],
    ["the route", routes.map((route) => (typeof route === "string" ? route : route.pattern))],
    ["the tokens of", [keys === "" ? undefined : `${keys} for "${JWT_AUDIENCE}"`]],
  ];
  return namesByType.flatMap(([type, names]) =>
    names.filter((name) => name !== undefined).map((name) => `${type} ${name}`),
  );
}

/** wrangler.toml as it is written: with all environments, and without wrangler's defaults. */
export function readConfigFile(file: string): RawConfig {
  return parseToml(readFileSync(file, "utf8"));
}

export function parseToml(text: string): RawConfig {
  return orCommandError(() => parse(text));
}

function orCommandError<Read>(read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    throw new CommandError(`wrangler.toml cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}
