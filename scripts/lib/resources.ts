import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import { ask, askOrNull, type Cloudflare } from "./cloudflare-api.ts";
import { configOf, databaseName, variablesOf } from "./environments.ts";
import { CommandError, ROOT } from "./project.ts";

interface Resources {
  databaseId: string;
  namespaceId: string;
}

const Database = z.object({ uuid: z.string() });
const Namespace = z.object({ id: z.string(), title: z.string(), jurisdiction: z.string().nullish() });

const NO_SUCH_DATABASE = 7404;
/** As many KV namespaces as an account may have. */
const NAMESPACE_LIMIT = 1_000;

/** Finds the database and the KV namespace of an environment by their names, or creates them. */
export async function findOrCreateResources(cloudflare: Cloudflare, env: string): Promise<Resources> {
  const jurisdiction = variablesOf(env).JURISDICTION || undefined;
  // The namespace comes before the database, so that nothing is created if the namespace is in the wrong jurisdiction.
  const namespaceId = await findOrCreateNamespace(cloudflare, env, jurisdiction);
  return { namespaceId, databaseId: await findOrCreateDatabase(cloudflare, env, jurisdiction) };
}

async function findOrCreateDatabase(cloudflare: Cloudflare, env: string, jurisdiction?: string): Promise<string> {
  const name = databaseName(env);
  const { database_id: id } = configOf(env).d1_databases.find(({ binding }) => binding === "DB") ?? {};
  if (id !== undefined) return id;
  const address = `/d1/database/${encodeURIComponent(name)}`;
  const existingDatabase = Database.nullable().parse(await askOrNull(NO_SUCH_DATABASE, cloudflare, `GET ${address}`));
  if (existingDatabase !== null) return existingDatabase.uuid;
  console.error(`Making the database ${name} …`);
  return Database.parse(await ask(cloudflare, "POST /d1/database", { name, jurisdiction })).uuid;
}

/**
 * Wrangler would create a namespace of this name, but would not look for it. If the deployment then failed, every later
 * deployment would fail too.
 */
async function findOrCreateNamespace(cloudflare: Cloudflare, env: string, jurisdiction?: string): Promise<string> {
  const { name, kv_namespaces } = configOf(env);
  const id = kv_namespaces.find(({ binding }) => binding === "CACHE")?.id;
  if (id !== undefined) return id;
  const title = `${name}-cache`;
  const namespaces = await ask(cloudflare, `GET /storage/kv/namespaces?per_page=${NAMESPACE_LIMIT}`);
  const namespace = z
    .array(Namespace)
    .parse(namespaces)
    .find((candidate) => candidate.title === title);
  if (namespace === undefined) {
    console.error(`Making the KV namespace ${title} …`);
    return Namespace.parse(await ask(cloudflare, "POST /storage/kv/namespaces", { title, jurisdiction })).id;
  }
  if (jurisdiction !== undefined && namespace.jurisdiction !== jurisdiction)
    throw new CommandError(`The KV namespace ${title} is not in the jurisdiction ${jurisdiction}, and cannot be moved. It holds only cached leaderboards: delete it, then deploy again.
npm run wrangler -- kv namespace delete --namespace-id ${namespace.id}`);
  return namespace.id;
}

/**
 * Writes the configuration of an environment with the ids of its resources, because wrangler looks up databases only.
 * Returns the name of the file.
 */
export function writeDeployConfig(env: string, { databaseId, namespaceId }: Resources): string {
  // Wrangler warns of `unsafe` settings, even if there are none.
  const { unsafe: _, ...config } = configOf(env);
  for (const database of config.d1_databases) if (database.binding === "DB") database.database_id = databaseId;
  for (const namespace of config.kv_namespaces) if (namespace.binding === "CACHE") namespace.id = namespaceId;
  // Wrangler takes this path as relative to the folder of the configuration.
  if (config.assets?.directory !== undefined) config.assets.directory = path.resolve(ROOT, config.assets.directory);
  const file = path.join(ROOT, "dist", "deploy", env, "wrangler.json");
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(config, null, 2));
  return file;
}
