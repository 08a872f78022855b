import * as z from "zod";
import { ask, askOrNull, type Cloudflare, NO_WORKER } from "./cloudflare-api.ts";
import { WorkerSettings } from "./deployed.ts";
import { settingsOf, variablesOf } from "./environments.ts";
import { CommandError } from "./project.ts";
import { isTemporaryWorker, Workers } from "./temporary-worker.ts";

export interface Resources {
  databaseId: string;
  namespaceId: string;
}

const DatabaseId = z.object({ uuid: z.string() }).transform(({ uuid }) => uuid);
const NamespaceId = z.object({ id: z.string() }).transform(({ id }) => id);
const Namespace = z.object({ id: z.string(), title: z.string(), jurisdiction: z.string().nullish() });

const NO_SUCH_DATABASE = 7404;
/** As many KV namespaces as an account may have. */
const NAMESPACE_LIMIT = 1_000;
/** How many Workers are asked for their bindings at a time. */
const WORKERS_AT_ONCE = 5;

/** Finds the database and the KV namespace of a program, by their ids or names, or makes them. */
export async function findOrMakeResources(cloudflare: Cloudflare, env: string): Promise<Resources> {
  const { databaseName: name, namespaceTitle: title } = settingsOf(env);
  const jurisdiction = variablesOf(env).JURISDICTION || undefined;
  const findOrMake = async (find: typeof findDatabase, what: string, make: () => Promise<string>) => {
    const id = await find(cloudflare, env);
    if (id !== undefined) return id;
    console.error(`Making ${what} …`);
    return make().catch(async (error) => {
      // If an answer was lost, the next try was refused, although the first has made it.
      const made = await find(cloudflare, env);
      if (made === undefined) throw error;
      return made;
    });
  };
  const makeNamespace = () => ask(cloudflare, "POST /storage/kv/namespaces", NamespaceId, { title, jurisdiction });
  const makeDatabase = () => ask(cloudflare, "POST /d1/database", DatabaseId, { name, jurisdiction });
  return {
    namespaceId: await findOrMake(findNamespace, `the KV namespace ${title}`, makeNamespace),
    databaseId: await findOrMake(findDatabase, `the database ${name}`, makeDatabase),
  };
}

export async function findDatabase(cloudflare: Cloudflare, env: string): Promise<string | undefined> {
  const { database_id: id, databaseName } = settingsOf(env);
  if (id !== undefined) return id;
  const route = `GET /d1/database/${encodeURIComponent(databaseName)}`;
  return (await askOrNull([NO_SUCH_DATABASE], cloudflare, route, DatabaseId)) ?? undefined;
}

/**
 * Wrangler would make a namespace of this name, but would not look for it. If the deployment then failed, every later
 * deployment would fail too.
 */
async function findNamespace(cloudflare: Cloudflare, env: string): Promise<string | undefined> {
  const { kv_id: id, namespaceTitle: title } = settingsOf(env);
  if (id !== undefined) return id;
  const jurisdiction = variablesOf(env).JURISDICTION;
  const route = `GET /storage/kv/namespaces?per_page=${NAMESPACE_LIMIT}`;
  const namespaces = await ask(cloudflare, route, z.array(Namespace));
  const namespace = namespaces.find((candidate) => candidate.title === title);
  if (namespace !== undefined && jurisdiction && namespace.jurisdiction !== jurisdiction)
    throw new CommandError(`The KV namespace ${title} is not in the jurisdiction ${jurisdiction}, and cannot be moved. It holds only cached leaderboards: delete it, then deploy again.
npm run wrangler -- kv namespace delete --namespace-id ${namespace.id}`);
  return namespace?.id;
}

/** The ids of the databases and namespaces that each Worker of an account binds. */
export type Bindings = ReadonlyMap<string, readonly unknown[]>;

/** Asks each Worker, because no call tells the bindings of all. */
export async function readBindings(cloudflare: Cloudflare): Promise<Bindings> {
  const workers = await ask(cloudflare, "GET /workers/scripts", Workers);
  const idsByWorker = new Map<string, unknown[]>();
  const read = async ({ id: worker }: { id: string }) => {
    const route = `GET /workers/scripts/${worker}/settings`;
    const { bindings = [] } = (await askOrNull(NO_WORKER, cloudflare, route, WorkerSettings)) ?? {};
    idsByWorker.set(
      worker,
      bindings.flatMap(({ id, database_id, namespace_id }) => database_id ?? id ?? namespace_id ?? []),
    );
  };
  while (workers.length > 0) await Promise.all(workers.splice(0, WORKERS_AT_ONCE).map(read));
  return idsByWorker;
}

/**
 * What to do where another Worker binds the database or the namespace of a program. Two Workers with schedules would do
 * each job twice, and each would cache its own leaderboards.
 */
export async function remediesForBound(cloudflare: Cloudflare, env: string, bindings: Bindings): Promise<string[]> {
  const { worker } = settingsOf(env);
  const isOwn = (name: string) => [worker, `${worker}-probe`].includes(name) || isTemporaryWorker(worker, name);
  const others = [...bindings].filter(([name]) => !isOwn(name));
  const resources = {
    "the KV namespace": await findNamespace(cloudflare, env),
    "the database": await findDatabase(cloudflare, env),
  };
  return Object.entries(resources).flatMap(([what, id]) => {
    const [other] = others.find(([, ids]) => ids.includes(id)) ?? [];
    return other === undefined
      ? []
      : `The Worker ${other} binds ${what} of ${env}, ${id}: give each its own. If ${other} is the former name of ${env}, delete it: docs/deploying.md, Renaming.`;
  });
}
