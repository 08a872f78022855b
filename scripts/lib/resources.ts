import * as z from "zod";
import { ApiError, ask, askOrNull, type Cloudflare, NO_WORKER } from "./cloudflare-api.ts";
import { WorkerSettings } from "./deployed.ts";
import { settingsOf, variablesOf } from "./environments.ts";
import { CommandError } from "./project.ts";
import { isTemporaryWorker, Workers } from "./temporary-worker.ts";

export interface Resources {
  databaseId: string;
  namespaceId: string;
}

/** What an account has of these. */
export type Found = { [Name in keyof Resources]: string | undefined };

const DatabaseId = z.object({ uuid: z.string() }).transform(({ uuid }) => uuid);
const NamespaceId = z.object({ id: z.string() }).transform(({ id }) => id);
const Namespace = z.object({ id: z.string(), title: z.string(), jurisdiction: z.string().nullish() });

const NO_SUCH_DATABASE = 7404;
/** As many KV namespaces as an account may have. */
const NAMESPACE_LIMIT = 1_000;
/** How many Workers are asked for their bindings at a time. */
const WORKERS_AT_ONCE = 5;

/** Finds the database and the KV namespace of a program, by their ids or names. */
export async function findResources(cloudflare: Cloudflare, env: string): Promise<Found> {
  return { namespaceId: await findNamespace(cloudflare, env), databaseId: await findDatabase(cloudflare, env) };
}

/** Creates what was not found. If an answer is lost, the next try is refused, although the first has created it. */
export async function createMissing(cloudflare: Cloudflare, env: string, found: Found): Promise<Resources> {
  const { databaseName: name, namespaceTitle: title } = settingsOf(env);
  const jurisdiction = variablesOf(env).JURISDICTION || undefined;
  const create = async (key: keyof Resources, what: string, post: () => Promise<string>) => {
    if (found[key] !== undefined) return found[key];
    console.error(`Making ${what} …`);
    return post().catch(async (error) => {
      const id = error instanceof ApiError ? (await findResources(cloudflare, env))[key] : undefined;
      if (id === undefined) throw error;
      return id;
    });
  };
  return {
    namespaceId: await create("namespaceId", `the KV namespace ${title}`, () =>
      ask(cloudflare, "POST /storage/kv/namespaces", NamespaceId, { title, jurisdiction }),
    ),
    databaseId: await create("databaseId", `the database ${name}`, () =>
      ask(cloudflare, "POST /d1/database", DatabaseId, { name, jurisdiction }),
    ),
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

/** A Worker of the account, and the ids of the databases and namespaces that it binds. */
export interface Binder {
  name: string;
  ids: readonly unknown[];
}

/** Asks each Worker, because no call tells the bindings of all. */
export async function readBinders(cloudflare: Cloudflare): Promise<Binder[]> {
  const workers = await ask(cloudflare, "GET /workers/scripts", Workers);
  const readBinder = async ({ id: name }: { id: string }): Promise<Binder> => {
    const route = `GET /workers/scripts/${name}/settings`;
    const { bindings = [] } = (await askOrNull(NO_WORKER, cloudflare, route, WorkerSettings)) ?? {};
    return { name, ids: bindings.map(({ id, database_id, namespace_id }) => database_id ?? id ?? namespace_id) };
  };
  const binders: Binder[] = [];
  while (workers.length > 0) binders.push(...(await Promise.all(workers.splice(0, WORKERS_AT_ONCE).map(readBinder))));
  return binders;
}

/**
 * Two Workers with schedules would do each job twice, and each would cache its own leaderboards.
 * @throws a CommandError if another Worker binds the database or the namespace of a program.
 */
export function refuseBound(env: string, resources: Found, binders: readonly Binder[]): void {
  const { worker } = settingsOf(env);
  const isOwn = ({ name }: Binder) => [worker, `${worker}-probe`].includes(name) || isTemporaryWorker(worker, name);
  const others = binders.filter((binder) => !isOwn(binder));
  const names = { "the database": resources.databaseId, "the KV namespace": resources.namespaceId };
  for (const [what, id] of Object.entries(names)) {
    const other = id === undefined ? undefined : others.find(({ ids }) => ids.includes(id));
    if (other !== undefined)
      throw new CommandError(`The Worker ${other.name} binds ${what} of ${env}, ${id}, and ${worker} would bind it too. Nothing was made, migrated or deployed.
Give each its own. If ${other.name} is the former name of ${env}, delete it first: docs/deploying.md, Renaming.`);
  }
}
