import { readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Unstable_RawConfig as RawConfig, experimental_readRawConfig as readRawConfig } from "wrangler";
import { bindingName, DEFAULT_PROGRAM, programOfDatabase } from "../../src/programs/programs.ts";
import { CommandError, ROOT } from "./project.ts";
import { findTables, insertAfter, type TomlTable, withoutTable } from "./toml-tables.ts";

/** A program as wrangler.toml has it. */
export interface ConfiguredProgram {
  /** Empty for the default program. */
  name: string;
  binding: string;
  databaseName: string;
}

type Database = NonNullable<RawConfig["d1_databases"]>[number];

const CONFIG = path.join(ROOT, "wrangler.toml");
const PRODUCTION = "production";
const LIST = "d1_databases";

/** wrangler.toml, or another file of its kind, as it is written: no environment is picked out, no default filled in. */
export function readConfigFile(file = CONFIG): RawConfig {
  try {
    return readRawConfig({ config: file }).rawConfig;
  } catch (error) {
    throw new CommandError(`${path.basename(file)} cannot be read: ${messageOf(error)}`);
  }
}

/**
 * The programs of an environment, the default one first.
 * @throws a CommandError where two programs share a database, or one names none.
 */
export function configuredPrograms(env: string, config = readConfigFile()): ConfiguredProgram[] {
  const programs = databasesOf(config, env).flatMap(({ binding, database_name: databaseName = "" }) => {
    const name = programOfDatabase(binding);
    return name === null ? [] : [{ name, binding, databaseName }];
  });
  for (const [index, { binding, databaseName }] of programs.entries()) {
    if (databaseName === "") throw new CommandError(`wrangler.toml names no database for ${binding} in ${env}.`);
    const other = programs.slice(0, index).find((one) => one.databaseName === databaseName);
    if (other !== undefined)
      throw new CommandError(`${other.binding} and ${binding} share the database ${databaseName} in ${env}.`);
  }
  const byDefaultFirst = (one: ConfiguredProgram) => (one.name === DEFAULT_PROGRAM ? 0 : 1);
  return programs.toSorted((one, other) => byDefaultFirst(one) - byDefaultFirst(other));
}

/** @throws a CommandError where the environment has no such program. */
export function configuredProgram(name: string, env: string): ConfiguredProgram {
  const program = configuredPrograms(env).find((one) => one.name === name);
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
  const program = {
    name,
    binding: bindingName("DB", name),
    databaseName: `${first.databaseName}-${name}`,
  };
  refuseNameOfAnother(program, { env, config, prefix: first.databaseName });

  const [{ migrations_dir = "migrations" } = {}] = databasesOf(config, env);
  const database = { binding: program.binding, database_name: program.databaseName, migrations_dir };
  const text = readFileSync(file, "utf8");
  const last = databaseTables(text, { env, config }).at(-1);
  if (last === undefined) throw new Error("The default program's database is in no table.");
  const fields = Object.entries(database).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  const edited = insertAfter(text, last, [`[[${listPath(env).join(".")}]]`, ...fields]);
  databasesOf(config, env).push(database);
  replace(file, edited, config);
  return program;
}

/** Removes a program from an environment of wrangler.toml. */
export function removeProgram(name: string, env: string, file = CONFIG): void {
  const config = readConfigFile(file);
  const databases = databasesOf(config, env);
  const index = databases.findIndex(({ binding }) => binding === bindingName("DB", name));
  const text = readFileSync(file, "utf8");
  const table = databaseTables(text, { env, config })[index];
  if (table === undefined) throw new CommandError(`There is no program ${name} in ${env}.`);
  databases.splice(index, 1);
  replace(file, withoutTable(text, table), config);
}

/**
 * Databases of all environments are in one account. Where the name of one environment's begins with another's, as
 * `loyalty-edge-staging` with `loyalty-edge`, a program of the shorter one could get a database of the longer one.
 */
function refuseNameOfAnother(
  { databaseName }: ConfiguredProgram,
  { env, config, prefix }: { env: string; config: RawConfig; prefix: string },
): void {
  for (const other of [PRODUCTION, ...Object.keys(config.env ?? {})].filter((one) => one !== env)) {
    const names = configuredPrograms(other, config).map((one) => one.databaseName);
    const isNested = names[0]?.startsWith(`${prefix}-`) && `${databaseName}-`.startsWith(`${names[0]}-`);
    if (isNested || names.includes(databaseName))
      throw new CommandError(`Its database, ${databaseName}, would be one of ${other}: choose another name.`);
  }
}

function databasesOf(config: RawConfig, env: string): Database[] {
  return (env === PRODUCTION ? config : config.env?.[env])?.d1_databases ?? [];
}

function listPath(env: string): string[] {
  return env === PRODUCTION ? [LIST] : ["env", env, LIST];
}

/** The tables of an environment's databases, in the order of its list. */
function databaseTables(text: string, { env, config }: { env: string; config: RawConfig }): TomlTable[] {
  const wanted = JSON.stringify(listPath(env));
  const tables = findTables(text).filter((table) => JSON.stringify(table.path) === wanted);
  if (tables.length === databasesOf(config, env).length) return tables;
  throw new CommandError(
    `wrangler.toml is left as it is: write each database of ${env} as a table [[${listPath(env).join(".")}]], then try again.`,
  );
}

/** Writes an edited file over the old one, after wrangler has read it as what it should be. */
function replace(file: string, text: string, expected: RawConfig): void {
  const target = realpathSync(file);
  const draft = path.join(path.dirname(target), `${path.basename(target, ".toml")}.draft.toml`);
  try {
    writeFileSync(draft, text, { mode: statSync(target).mode });
    if (JSON.stringify(readConfigFile(draft)) !== JSON.stringify(expected))
      throw new CommandError(`${path.basename(file)} is left as it is: it would say something else than it should.`);
    renameSync(draft, target);
  } finally {
    rmSync(draft, { force: true });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
