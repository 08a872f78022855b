import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { type Unstable_RawConfig as RawConfig, unstable_readConfig as readConfig } from "wrangler";
import { PRODUCTION, settingsOf, variablesOf } from "./environments.ts";
import { CommandError, ROOT, runTool, type ToolOptions } from "./project.ts";
import { buildReference } from "./reference.ts";
import { SECRET_NAMES } from "./sign.ts";
import { devVarsOf } from "./tokens.ts";
import { replaceFile } from "./whole-file.ts";

const LARGEST_GZIP_KIB = 140;

/** Runs wrangler. Every script runs it through this function, because most of its commands need dist/reference. */
export async function runWrangler(args: readonly string[], options?: ToolOptions): ReturnType<typeof runTool> {
  buildReference();
  return runTool("wrangler", args, options);
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

/** The service of wrangler.toml with the settings of a program. JSON leaves out what is undefined. */
export function configOf(env: string, place: Place = {}) {
  const { service, worker, databaseName, routes, metrics, jwks_service, ...table } = settingsOf(env);
  const { build: _, ...inherited } = { ...service, ...(table.wrangler as RawConfig) };
  const ids: Exclude<Place, "local"> =
    place === "local" ? {} : { databaseId: table.database_id, namespaceId: table.kv_id, ...place };
  return {
    ...inherited,
    name: worker,
    main: absolute(service.main),
    account_id: table.account_id,
    routes,
    vars: variablesOf(env),
    assets: { ...inherited.assets, directory: absolute(inherited.assets?.directory) },
    d1_databases: (service.d1_databases ?? []).map(({ migrations_dir, ...database }) => ({
      ...database,
      database_name: databaseName,
      database_id: ids.databaseId,
      migrations_dir: absolute(migrations_dir),
    })),
    kv_namespaces: (service.kv_namespaces ?? []).map((namespace) => ({ ...namespace, id: ids.namespaceId })),
    ratelimits: (service.ratelimits ?? []).map((limit: { name: string }) => ({
      ...limit,
      namespace_id: limitId(`${worker} ${limit.name}`),
    })),
    analytics_engine_datasets: metrics ? [{ binding: "METRICS", dataset: worker.replaceAll("-", "_") }] : undefined,
    services: jwks_service && [{ binding: "JWKS_SERVICE", service: jwks_service }],
  };
}

/** Workers of an account that use one id share its counters, even Workers of other projects. */
function limitId(name: string): string {
  return String(createHash("sha256").update(name).digest().readUInt32BE() >>> 1);
}

function absolute(file = ""): string {
  return path.resolve(ROOT, file);
}

/** Runs wrangler with the configuration of a program. */
export function runWranglerFor(
  env: string,
  args: readonly string[],
  { place, ...options }: ToolOptions & { place?: Place } = {},
): ReturnType<typeof runTool> {
  const configArgs = ["--config", writeConfig(env, place), "--env="];
  if (place !== "local") return runWrangler([...args, ...configArgs], options);
  // Wrangler would prefer secrets of the shell, which may be those of a deployment.
  const withoutSecrets = Object.fromEntries(SECRET_NAMES.map((name) => [name, undefined]));
  const envFile = ["--env-file", path.join(ROOT, devVarsOf(env))];
  return runWrangler([...args, ...configArgs, ...envFile], { ...options, env: { ...options.env, ...withoutSecrets } });
}

/** @throws a CommandError with wrangler's reason if it does not accept the configuration of a program. */
export function refuseWrongConfig(env: string): void {
  try {
    readConfig({ config: writeConfig(env), env: "" }, { hideWarnings: true });
  } catch (error) {
    throw new CommandError(
      `Wrangler refuses the settings of ${env}: ${error instanceof Error ? error.message : error}`,
    );
  }
}

/**
 * Builds the Worker as a deployment does. Resolves with its size.
 * @throws a CommandError if it is too large: Cloudflare loads it on demand, so it must stay small.
 */
export async function checkBundle(env = PRODUCTION): Promise<string> {
  const { status, output } = await runWranglerFor(env, ["deploy", "--dry-run"], { capture: true });
  if (status !== 0) throw new CommandError(`${output}\nFailed: npm run wrangler -- deploy --dry-run --env ${env}`);
  const size = Number(/gzip: ([\d.]+) KiB/.exec(output)?.[1]);
  if (!(size < LARGEST_GZIP_KIB))
    throw new CommandError(`The Worker has ${size} KiB gzip; ${LARGEST_GZIP_KIB} KiB is too large.`);
  return `${size} KiB gzip`;
}
