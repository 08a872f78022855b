import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseEnv } from "node:util";
import { bindingName, DEFAULT_PROGRAM, programOfDatabase } from "../../src/programs/programs.ts";
import { DEV_VARS } from "./dev-token.ts";
import { configuredPrograms, readConfigFile } from "./program-config.ts";
import { CommandError, ROOT } from "./project.ts";

/** The programs of a local service. */
export interface LocalPrograms {
  /** The folder of its databases. */
  persistTo: string;
  /** Those that it has beside the ones of wrangler.toml. */
  programs?: readonly string[] | undefined;
}

/** The programs of a local service, the default one first. */
export function localPrograms({ programs = [] }: Omit<LocalPrograms, "persistTo">): string[] {
  return [...new Set([...configuredPrograms("production").map(({ name }) => name), ...programs])];
}

/** What tells wrangler of the programs of a local service: nothing where the default one is alone. */
export function localConfigArgs(local: LocalPrograms): string[] {
  return isAlone(local) ? [] : [`--config=${configIn(local.persistTo)}`];
}

/** What tells wrangler where a program of a folder is, which may be one that the service there does not have just now. */
export function configArgsOf(program: string, persistTo: string): string[] {
  if (configuredPrograms("production").some(({ name }) => name === program)) return [];
  const file = configIn(persistTo);
  const binding = bindingName("DB", program);
  if (existsSync(file) && readConfigFile(file).d1_databases?.some((one) => one.binding === binding))
    return [`--config=${file}`];
  throw new CommandError(
    `There is no program ${program} in ${path.resolve(persistTo)} yet: npm start -- --programs ${program} makes it.`,
  );
}

/** The programs that a folder has databases of: those of wrangler.toml, and those of the last npm start there. */
export function programsIn(persistTo: string): string[] {
  const file = configIn(persistTo);
  const databases = existsSync(file) ? (readConfigFile(file).d1_databases ?? []) : [];
  return localPrograms({ programs: databases.flatMap(({ binding }) => programOfDatabase(binding) ?? []) });
}

/**
 * Writes the configuration of a local service with more than the default program: as wrangler.toml, with a database for
 * each. It names all that .dev.vars holds, because the Worker gets no secret that its configuration does not name.
 */
export function writeLocalConfig(local: LocalPrograms): void {
  if (isAlone(local)) return;
  const { env: _, ...config } = readConfigFile();
  const databases = localPrograms(local).map((program) => {
    const binding = bindingName("DB", program);
    const configured = config.d1_databases?.find((one) => one.binding === binding);
    return { migrations_dir: "migrations", ...configured, binding };
  });
  const secrets = readFileSync(DEV_VARS, "utf8");
  const text = JSON.stringify({
    ...config,
    main: fromRoot(config.main),
    assets: { ...config.assets, directory: fromRoot(config.assets?.directory) },
    secrets: { required: Object.keys(parseEnv(secrets)) },
    d1_databases: databases.map((one) => ({ ...one, migrations_dir: fromRoot(one.migrations_dir) })),
  });
  mkdirSync(local.persistTo, { recursive: true });
  writeFileSync(configIn(local.persistTo), text);
  // Wrangler reads it beside the configuration.
  writeFileSync(path.join(local.persistTo, path.basename(DEV_VARS)), secrets, { mode: 0o600 });
}

function isAlone(local: LocalPrograms): boolean {
  return localPrograms(local).every((program) => program === DEFAULT_PROGRAM);
}

function configIn(persistTo: string): string {
  return path.join(path.resolve(persistTo), "wrangler.json");
}

function fromRoot(name = ""): string {
  return path.resolve(ROOT, name);
}
