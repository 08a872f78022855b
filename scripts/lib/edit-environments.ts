import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { stringify } from "smol-toml";
import type { Unstable_RawConfig as RawConfig } from "wrangler";
import { CONFIG, environmentNames, parseToml, readConfigFile, STAGING } from "./environments.ts";
import { CommandError } from "./project.ts";
import { replaceFile } from "./whole-file.ts";

/** The smallest random id of a rate limit. People choose smaller ids, so a random id is never one of theirs. */
const LEAST_LIMIT_ID = 100_000_000;

/** Appends an environment to wrangler.toml, with staging's bindings, production's variables and its own names. */
export function addEnvironment(name: string, file = CONFIG): void {
  const config = readConfigFile(file);
  if (environmentNames(file).includes(name)) throw new CommandError(`There is an environment ${name} already.`);
  const section = sectionFor(name, config);
  const text = `${readFileSync(file, "utf8").trimEnd()}\n\n${stringify({ env: { [name]: section } })}`;
  replaceConfig(file, text, { ...config, env: { ...config.env, [name]: section } });
}

function sectionFor(env: string, config: RawConfig): NonNullable<RawConfig["env"]>[string] {
  const staging = config.env?.[STAGING];
  if (staging === undefined || config.name === undefined)
    throw new CommandError(
      "wrangler.toml has no name or no [env.staging], whose bindings an environment is made with.",
    );
  const { d1_databases = [], kv_namespaces = [], ratelimits = [], analytics_engine_datasets: datasets } = staging;
  // An environment gets no address by itself. The entry file of staging has the probe.
  const { routes: _, route: __, main: ___, ...sharedSettings } = staging;
  const worker = `${config.name}-${env}`;
  return {
    ...sharedSettings,
    name: worker,
    // Without `routes` of its own, the environment would inherit production's address.
    ...((config.routes ?? config.route) !== undefined && { routes: [], workers_dev: true }),
    vars: {
      ...config.vars,
      ENVIRONMENT: env,
      RETENTION_MONTHS: "",
      ...((config.vars?.JWKS_URL || config.vars?.JWKS) && { JWT_AUDIENCE: worker }),
    },
    d1_databases: d1_databases.map(({ database_id: _, ...database }) => ({ ...database, database_name: worker })),
    kv_namespaces: kv_namespaces.map(({ id: _, ...namespace }) => namespace),
    // Workers of an account that use the same id share its counters, even Workers of other projects.
    ratelimits: ratelimits.map((limit) => ({ ...limit, namespace_id: String(randomInt(LEAST_LIMIT_ID, 2 ** 31)) })),
    ...(datasets && {
      analytics_engine_datasets: datasets.map((dataset) => ({ ...dataset, dataset: worker.replaceAll("-", "_") })),
    }),
  };
}

/** Removes the section of an environment from wrangler.toml, with its comments. */
export function removeEnvironment(name: string, file = CONFIG): void {
  const config = readConfigFile(file);
  const { [name]: _, ...env } = config.env ?? {};
  replaceConfig(file, withoutSection(name, readFileSync(file, "utf8")), { ...config, env });
}

/** TOML without the tables of an environment. A comment right above a table belongs to the table. */
function withoutSection(name: string, text: string): string {
  const keptLines: string[] = [];
  let comment: string[] = [];
  let isInSection = false;
  for (const line of text.split("\n")) {
    if (line.startsWith("#")) {
      comment.push(line);
      continue;
    }
    const [, table] = /^\s*\[+\s*([^\]\s]+)\s*\]/.exec(line) ?? [];
    if (table !== undefined) isInSection = `${table}.`.startsWith(`env.${name}.`);
    if (!isInSection) keptLines.push(...comment, line);
    comment = [];
  }
  return [...keptLines, ...comment].join("\n");
}

/**
 * Replaces the file if the text parses to the expected configuration. It may not, if somebody has edited the file by
 * hand.
 */
function replaceConfig(file: string, text: string, config: RawConfig): void {
  if (!isDeepStrictEqual(parseToml(text), parseToml(stringify(config))))
    throw new CommandError(`${path.basename(file)} is left as it is: edit the section by hand.`);
  replaceFile(file, text);
}
