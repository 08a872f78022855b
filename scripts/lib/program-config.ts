import { readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parse } from "smol-toml";
import type { Unstable_RawConfig as RawConfig } from "wrangler";
import { historyFault, horizonOf } from "../../src/programs/history.ts";
import { bindingName, DEFAULT_PROGRAM, programOfDatabase } from "../../src/programs/programs.ts";
import { CommandError, ROOT } from "./project.ts";

/** A program as wrangler.toml has it. */
export interface ConfiguredProgram {
  /** Empty for the default program. */
  name: string;
  binding: string;
  databaseName: string;
}

const CONFIG = path.join(ROOT, "wrangler.toml");
const PRODUCTION = "production";
/** Of wrangler.toml everything below this line is written anew whenever a program comes or goes. */
export const MARKER = "# Programs: `npm run programs` writes everything below this line.";

/** wrangler.toml, or another file of its kind, as it is written: no environment is picked out, no default filled in. */
export function readConfigFile(file = CONFIG): RawConfig {
  try {
    const text = readFileSync(file, "utf8");
    return path.extname(file) === ".toml" ? parse(text) : JSON.parse(text);
  } catch (error) {
    throw new CommandError(`${path.basename(file)} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

/**
 * The programs of an environment, the default one first.
 * @throws a CommandError where a program names no database, or two share one, be it in two environments: those of all
 * environments are in one account.
 */
export function configuredPrograms(env: string, config = readConfigFile()): ConfiguredProgram[] {
  const all = environmentsOf(config).flatMap((environment) => {
    return databasesOf(config, environment).flatMap(({ binding, database_name: databaseName = "" }) => {
      const name = programOfDatabase(binding);
      return name === null ? [] : [{ environment, name, binding, databaseName }];
    });
  });
  for (const [index, { binding, databaseName, environment }] of all.entries()) {
    if (databaseName === "")
      throw new CommandError(`wrangler.toml names no database for ${binding} in ${environment}.`);
    const other = all.slice(0, index).find((one) => one.databaseName === databaseName);
    if (other !== undefined)
      throw new CommandError(
        `${other.binding} of ${other.environment} and ${binding} of ${environment} would share the database ${databaseName}.`,
      );
  }
  const own = all.filter(({ environment }) => environment === env);
  const programs = own.map(({ environment, ...program }) => program);
  return programs.sort((one, other) => Number(other.name === DEFAULT_PROGRAM) - Number(one.name === DEFAULT_PROGRAM));
}

/** @throws a CommandError where the environment has no such program. */
export function configuredProgram(name: string, env: string, config?: RawConfig): ConfiguredProgram {
  const program = configuredPrograms(env, config).find((one) => one.name === name);
  if (program !== undefined) return program;
  throw new CommandError(
    `There is no program ${name} in ${env}. Which there are: npm run programs -- list${flagOf(env)}`,
  );
}

/** What a command of this project takes for an environment: nothing for production. */
export function flagOf(env: string): string {
  return env === PRODUCTION ? "" : ` --env ${env}`;
}

/** Adds a program to an environment of wrangler.toml, with a database named like the default program's. */
export function addProgram(name: string, env: string, file = CONFIG): ConfiguredProgram {
  const config = readConfigFile(file);
  const programs = configuredPrograms(env, config);
  const [first] = programs;
  if (first?.name !== DEFAULT_PROGRAM)
    throw new CommandError(`${env} has no database for the default program: wrangler.toml must bind one as DB first.`);
  if (programs.some((one) => one.name === name)) throw new CommandError(`${env} has a program ${name} already.`);
  databasesOf(config, env).push({
    binding: bindingName("DB", name),
    database_name: `${first.databaseName}-${name}`,
    migrations_dir: "migrations",
  });
  const added = configuredProgram(name, env, config);
  writePrograms(file, config);
  return added;
}

/** Removes a program from an environment of wrangler.toml. */
export function removeProgram(name: string, env: string, file = CONFIG): void {
  const config = readConfigFile(file);
  const { binding } = configuredProgram(name, env, config);
  const databases = databasesOf(config, env);
  databases.splice(
    databases.findIndex((one) => one.binding === binding),
    1,
  );
  writePrograms(file, config);
}

/** Writes the programs of all environments below the marker, after wrangler has read the file as what it should be. */
function writePrograms(file: string, config: RawConfig): void {
  const name = path.basename(file);
  const [above, ...below] = readFileSync(file, "utf8").split(`${MARKER}\n`);
  if (below.length !== 1) throw new CommandError(`${name} is left as it is: put this line at its end.\n${MARKER}`);
  const blocks = environmentsOf(config).flatMap((env) => {
    const list = env === PRODUCTION ? "d1_databases" : `env.${env}.d1_databases`;
    const own = databasesOf(config, env).filter(({ binding }) => programOfDatabase(binding));
    return own.map((database) => {
      const fields = Object.entries(database).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
      return `\n[[${list}]]\n${fields.join("")}`;
    });
  });
  const target = realpathSync(file);
  const draft = path.join(path.dirname(target), `${path.basename(target, ".toml")}.draft.toml`);
  try {
    writeFileSync(draft, [above, MARKER, "\n", ...blocks].join(""), { mode: statSync(target).mode });
    if (JSON.stringify(readConfigFile(draft)) !== JSON.stringify(config))
      throw new CommandError(`${name} is left as it is: below its marker must be the programs, and nothing else.`);
    renameSync(draft, target);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The variables of an environment of wrangler.toml that are texts, which all of this project's are. */
export function variablesOf(env: string, config = readConfigFile()): Record<string, string> {
  const vars = (env === PRODUCTION ? config : config.env?.[env])?.vars ?? {};
  const texts = Object.entries(vars).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return Object.fromEntries(texts);
}

/** The bucket that an environment of wrangler.toml binds for history. */
export function historyBucket(env: string, config = readConfigFile()) {
  const buckets = (env === PRODUCTION ? config : config.env?.[env])?.r2_buckets;
  return buckets?.find(({ binding }) => binding === "HISTORY");
}

/**
 * The settings of history of an environment are all right.
 * @throws a CommandError where they are not, or where another environment has the same bucket: both would name their
 * objects alike.
 */
export function checkHistory(env: string, config = readConfigFile()): void {
  const bucket = historyBucket(env, config);
  const { HISTORY_MONTHS } = variablesOf(env, config);
  const fault = historyFault({ HISTORY_MONTHS, HISTORY: bucket });
  if (fault !== null)
    throw new CommandError(`History of ${env} is set up by half: ${fault}. docs/contract/history.md, 1`);
  const name = bucket?.bucket_name;
  const others = environmentsOf(config).filter((one) => one !== env);
  const other = others.find((one) => name !== undefined && historyBucket(one, config)?.bucket_name === name);
  if (other !== undefined)
    throw new CommandError(`${env} and ${other} would share the bucket ${name}: give each its own.`);
}

/**
 * The time before which events leave an environment for history; null where none do.
 * @throws a CommandError where its settings are wrong.
 */
export function configuredHorizon(env: string): string | null {
  checkHistory(env);
  const { HISTORY_MONTHS: months = "" } = variablesOf(env);
  return months === "" ? null : horizonOf({ months: Number(months) }, new Date());
}

function environmentsOf(config: RawConfig): string[] {
  return [PRODUCTION, ...Object.keys(config.env ?? {})];
}

function databasesOf(config: RawConfig, env: string): NonNullable<RawConfig["d1_databases"]> {
  return (env === PRODUCTION ? config : config.env?.[env])?.d1_databases ?? [];
}
