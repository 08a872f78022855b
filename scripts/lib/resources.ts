import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import { ApiError, ask, askOrNull, type Cloudflare } from "./cloudflare-api.ts";
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

/** Finds the database and the KV namespace of an environment by their names, or makes them. */
export async function findOrMakeResources(cloudflare: Cloudflare, env: string): Promise<Resources> {
  const jurisdiction = variablesOf(env).JURISDICTION || undefined;
  // Both are looked for first, so that nothing is made if the login may not ask, or if the namespace is elsewhere.
  const namespace = () => findNamespace(cloudflare, env, jurisdiction);
  const database = () => findDatabase(cloudflare, env);
  const [namespaceId, databaseId] = [await namespace(), await database()];
  const { name } = configOf(env);
  return {
    namespaceId:
      namespaceId ??
      (await make(`the KV namespace ${name}-cache`, namespace, () =>
        ask(cloudflare, "POST /storage/kv/namespaces", Namespace, { title: `${name}-cache`, jurisdiction }).then(
          ({ id }) => id,
        ),
      )),
    databaseId:
      databaseId ??
      (await make(`the database ${databaseName(env)}`, database, () =>
        ask(cloudflare, "POST /d1/database", Database, { name: databaseName(env), jurisdiction }).then(
          ({ uuid }) => uuid,
        ),
      )),
  };
}

/** Makes a resource. If an answer was lost, the next try is refused although the first has made the resource. */
async function make(
  what: string,
  find: () => Promise<string | undefined>,
  post: () => Promise<string>,
): Promise<string> {
  console.error(`Making ${what} …`);
  try {
    return await post();
  } catch (error) {
    const id = error instanceof ApiError ? await find() : undefined;
    if (id === undefined) throw error;
    return id;
  }
}

async function findDatabase(cloudflare: Cloudflare, env: string): Promise<string | undefined> {
  const { database_id: id } = configOf(env).d1_databases.find(({ binding }) => binding === "DB") ?? {};
  const route = `GET /d1/database/${encodeURIComponent(databaseName(env))}`;
  return id ?? (await askOrNull([NO_SUCH_DATABASE], cloudflare, route, Database))?.uuid;
}

/**
 * Wrangler would make a namespace of this name, but would not look for it. If the deployment then failed, every later
 * deployment would fail too.
 */
async function findNamespace(cloudflare: Cloudflare, env: string, jurisdiction?: string): Promise<string | undefined> {
  const { name, kv_namespaces } = configOf(env);
  const id = kv_namespaces.find(({ binding }) => binding === "CACHE")?.id;
  if (id !== undefined) return id;
  const title = `${name}-cache`;
  const route = `GET /storage/kv/namespaces?per_page=${NAMESPACE_LIMIT}`;
  const namespaces = await ask(cloudflare, route, z.array(Namespace));
  const namespace = namespaces.find((candidate) => candidate.title === title);
  if (namespace && jurisdiction !== undefined && namespace.jurisdiction !== jurisdiction)
    throw new CommandError(`The KV namespace ${title} is not in the jurisdiction ${jurisdiction}, and cannot be moved. It holds only cached leaderboards: delete it, then deploy again.
npm run wrangler -- kv namespace delete --namespace-id ${namespace.id}`);
  return namespace?.id;
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
