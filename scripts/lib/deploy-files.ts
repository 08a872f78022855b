import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Unstable_RawConfig as RawConfig } from "wrangler";
import { CONFIG, PRODUCTION, readConfigFile } from "./environments.ts";
import { ROOT } from "./project.ts";

export interface Resources {
  databaseId: string;
  namespaceId: string;
}

type Section = Pick<RawConfig, "main" | "assets" | "d1_databases" | "kv_namespaces">;

/** The folder with an environment's generated configuration and migrations. */
function folderOf(env: string): string {
  return path.join(ROOT, "dist", "deploy", env);
}

/** The configuration that an environment is deployed with, once it is written. */
export function deployConfig(env: string): string {
  return path.join(folderOf(env), "wrangler.json");
}

/** Writes wrangler.toml with the ids of the environment's resources: wrangler looks up databases, and nothing else. */
export function writeDeployConfig(env: string, resources: Resources): void {
  const { env: environments = {}, ...top } = readConfigFile(CONFIG);
  const section = environments[env];
  const config: RawConfig = {
    ...top,
    ...pathsOf(top),
    ...(env === PRODUCTION && withIds(top, resources)),
    ...(section && { env: { [env]: { ...section, ...pathsOf(section), ...withIds(section, resources) } } }),
  };
  mkdirSync(folderOf(env), { recursive: true });
  writeFileSync(deployConfig(env), JSON.stringify(config, null, 2));
}

/** Wrangler reads paths from the file's own folder. */
function pathsOf({ main, assets }: Section): Section {
  return {
    ...(main && { main: path.resolve(ROOT, main) }),
    ...(assets?.directory && { assets: { ...assets, directory: path.resolve(ROOT, assets.directory) } }),
  };
}

function withIds({ d1_databases = [], kv_namespaces = [] }: Section, { databaseId, namespaceId }: Resources): Section {
  return {
    d1_databases: d1_databases.map((one) =>
      one.binding === "DB" ? { ...one, database_id: databaseId, migrations_dir: "migrations" } : one,
    ),
    kv_namespaces: kv_namespaces.map((one) => (one.binding === "CACHE" ? { ...one, id: namespaceId } : one)),
  };
}

/** Writes the migrations beside the configuration, under the names that they have. */
export function writeMigrations(env: string, migrations: readonly { name: string; statements: readonly string[] }[]) {
  const folder = path.join(folderOf(env), "migrations");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { name, statements } of migrations) writeFileSync(path.join(folder, name), `${statements.join("\n")}\n`);
}
