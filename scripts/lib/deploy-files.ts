import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Unstable_RawConfig as RawConfig } from "wrangler";
import { CONFIG, PRODUCTION, readConfigFile } from "./environments.ts";
import { ROOT } from "./project.ts";

export interface Resources {
  databaseId: string;
  namespaceId: string;
}

type Section = Pick<RawConfig, "main" | "assets" | "d1_databases" | "kv_namespaces">;

/** The configuration that an environment is deployed with, once it is written. */
export function deployConfig(env: string): string {
  return path.join(ROOT, "dist", "deploy", env, "wrangler.json");
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
  mkdirSync(path.dirname(deployConfig(env)), { recursive: true });
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
    d1_databases: d1_databases.map((one) => (one.binding === "DB" ? { ...one, database_id: databaseId } : one)),
    kv_namespaces: kv_namespaces.map((one) => (one.binding === "CACHE" ? { ...one, id: namespaceId } : one)),
  };
}
