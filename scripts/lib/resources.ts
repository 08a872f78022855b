import * as z from "zod";
import { ApiError, ask, askOrNull, type Cloudflare, NO_WORKER } from "./cloudflare-api.ts";
import { settingsOf, variablesOf } from "./environments.ts";
import { CommandError } from "./project.ts";
import { isTemporaryWorker } from "./temporary-worker.ts";

export interface Resources {
  databaseId: string;
  namespaceId: string;
}

const Database = z.object({ uuid: z.string() });
const Namespace = z.object({ id: z.string(), title: z.string(), jurisdiction: z.string().nullish() });
const Workers = z.array(z.object({ id: z.string() }));
const WorkerSettings = z.object({ bindings: z.array(z.looseObject({ type: z.string() })).default([]) });

const NO_SUCH_DATABASE = 7404;
/** As many KV namespaces as an account may have. */
const NAMESPACE_LIMIT = 1_000;
/** How many Workers are asked for their bindings at a time. */
const WORKERS_AT_ONCE = 5;

/** Finds the database and the KV namespace of a program, by their ids or names. */
export async function findResources(cloudflare: Cloudflare, env: string): Promise<Partial<Resources>> {
  const namespaceId = await findNamespace(cloudflare, env);
  const databaseId = await findDatabase(cloudflare, env);
  return { ...(namespaceId && { namespaceId }), ...(databaseId && { databaseId }) };
}

/** Creates the resources that were not found. */
export async function createMissing(
  cloudflare: Cloudflare,
  env: string,
  { databaseId, namespaceId }: Partial<Resources>,
): Promise<Resources> {
  const jurisdiction = variablesOf(env).JURISDICTION || undefined;
  const { databaseName } = settingsOf(env);
  const title = namespaceTitle(env);
  const createNamespace = () => ask(cloudflare, "POST /storage/kv/namespaces", Namespace, { title, jurisdiction });
  const createDatabase = () =>
    ask(cloudflare, "POST /d1/database", Database, { name: databaseName, jurisdiction }).then(({ uuid: id }) => ({
      id,
    }));
  const findAgain = (what: keyof Resources) => async () => (await findResources(cloudflare, env))[what];
  return {
    namespaceId: namespaceId ?? (await create(`the KV namespace ${title}`, createNamespace, findAgain("namespaceId"))),
    databaseId: databaseId ?? (await create(`the database ${databaseName}`, createDatabase, findAgain("databaseId"))),
  };
}

/** Creates a resource. If an answer was lost, the next try is refused, although the first has created the resource. */
async function create(
  what: string,
  post: () => Promise<{ id: string }>,
  find: () => Promise<string | undefined>,
): Promise<string> {
  console.error(`Making ${what} …`);
  try {
    return (await post()).id;
  } catch (error) {
    const id = error instanceof ApiError ? await find() : undefined;
    if (id === undefined) throw error;
    return id;
  }
}

async function findDatabase(cloudflare: Cloudflare, env: string): Promise<string | undefined> {
  const { database_id: id, databaseName } = settingsOf(env);
  if (id !== undefined) return id;
  const route = `GET /d1/database/${encodeURIComponent(databaseName)}`;
  return (await askOrNull([NO_SUCH_DATABASE], cloudflare, route, Database))?.uuid;
}

function namespaceTitle(env: string): string {
  return `${settingsOf(env).worker}-cache`;
}

/**
 * Wrangler would make a namespace of this name, but would not look for it. If the deployment then failed, every later
 * deployment would fail too.
 */
async function findNamespace(cloudflare: Cloudflare, env: string): Promise<string | undefined> {
  const { kv_id: id } = settingsOf(env);
  if (id !== undefined) return id;
  const jurisdiction = variablesOf(env).JURISDICTION;
  const title = namespaceTitle(env);
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
  ids: readonly string[];
}

export async function readBinders(cloudflare: Cloudflare): Promise<Binder[]> {
  const waiting = await ask(cloudflare, "GET /workers/scripts", Workers);
  const binders: Binder[] = [];
  const readNext = async (): Promise<void> => {
    for (let worker = waiting.pop(); worker !== undefined; worker = waiting.pop()) {
      const { id: name } = worker;
      const route = `GET /workers/scripts/${name}/settings`;
      const bindings = (await askOrNull(NO_WORKER, cloudflare, route, WorkerSettings))?.bindings ?? [];
      const ids = bindings.map(({ id, database_id, namespace_id }) => database_id ?? id ?? namespace_id);
      binders.push({ name, ids: ids.filter((id) => typeof id === "string") });
    }
  };
  await Promise.all(Array.from({ length: WORKERS_AT_ONCE }, readNext));
  return binders;
}

/**
 * Two Workers with schedules would do each job twice, and each would cache its own leaderboards.
 * @throws a CommandError if another Worker binds the database or the namespace of a program.
 */
export function refuseBound(env: string, resources: Partial<Resources>, binders: readonly Binder[]): void {
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
