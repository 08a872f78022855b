import * as z from "zod";
import { ask, askOrNull, type Cloudflare } from "./cloudflare-api.ts";
import { settingsOf, variablesOf } from "./environments.ts";
import { CommandError } from "./project.ts";

export interface Resources {
  databaseId: string;
  namespaceId: string;
}

const Database = z.object({ uuid: z.string() });
const Namespace = z.object({ id: z.string(), title: z.string(), jurisdiction: z.string().nullish() });
const Workers = z.array(z.object({ id: z.string() }));
const WorkerSettings = z.object({ bindings: z.array(z.looseObject({ type: z.string() })).default([]) });

const NO_SUCH_DATABASE = 7404;
const NO_SUCH_WORKER = 10007;
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
  return {
    namespaceId: namespaceId ?? (await createNamespace(cloudflare, namespaceTitle(env), jurisdiction)),
    databaseId: databaseId ?? (await createDatabase(cloudflare, settingsOf(env).databaseName, jurisdiction)),
  };
}

async function findDatabase(cloudflare: Cloudflare, env: string): Promise<string | undefined> {
  const { database_id: id, databaseName } = settingsOf(env);
  if (id !== undefined) return id;
  const answer = await askOrNull(NO_SUCH_DATABASE, cloudflare, `GET /d1/database/${encodeURIComponent(databaseName)}`);
  return Database.nullable().parse(answer)?.uuid;
}

async function createDatabase(cloudflare: Cloudflare, name: string, jurisdiction?: string): Promise<string> {
  console.error(`Making the database ${name} …`);
  return Database.parse(await ask(cloudflare, "POST /d1/database", { name, jurisdiction })).uuid;
}

function namespaceTitle(env: string): string {
  return `${settingsOf(env).worker}-cache`;
}

/**
 * Wrangler would create a namespace of this name, but would not look for it. If the deployment then failed, every later
 * deployment would fail too.
 */
async function findNamespace(cloudflare: Cloudflare, env: string): Promise<string | undefined> {
  const { kv_id: id } = settingsOf(env);
  if (id !== undefined) return id;
  const jurisdiction = variablesOf(env).JURISDICTION;
  const title = namespaceTitle(env);
  const answer = await ask(cloudflare, `GET /storage/kv/namespaces?per_page=${NAMESPACE_LIMIT}`);
  const namespace = z
    .array(Namespace)
    .parse(answer)
    .find((candidate) => candidate.title === title);
  if (namespace !== undefined && jurisdiction && namespace.jurisdiction !== jurisdiction)
    throw new CommandError(`The KV namespace ${title} is not in the jurisdiction ${jurisdiction}, and cannot be moved. It holds only cached leaderboards: delete it, then deploy again.
npm run wrangler -- kv namespace delete --namespace-id ${namespace.id}`);
  return namespace?.id;
}

async function createNamespace(cloudflare: Cloudflare, title: string, jurisdiction?: string): Promise<string> {
  console.error(`Making the KV namespace ${title} …`);
  return Namespace.parse(await ask(cloudflare, "POST /storage/kv/namespaces", { title, jurisdiction })).id;
}

/** A Worker of the account, and the ids of the databases and namespaces that it binds. */
export interface Binder {
  name: string;
  ids: readonly string[];
}

export async function readBinders(cloudflare: Cloudflare): Promise<Binder[]> {
  const waiting = Workers.parse(await ask(cloudflare, "GET /workers/scripts"));
  const binders: Binder[] = [];
  const readNext = async (): Promise<void> => {
    for (let worker = waiting.pop(); worker !== undefined; worker = waiting.pop()) {
      const { id: name } = worker;
      const answer = await askOrNull(NO_SUCH_WORKER, cloudflare, `GET /workers/scripts/${name}/settings`);
      const { bindings } = WorkerSettings.parse(answer ?? {});
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
  const isOwn = ({ name }: Binder) => [worker, `${worker}-probe`, `${worker}-migrations`].includes(name);
  const others = binders.filter((binder) => !isOwn(binder));
  const names = { "the database": resources.databaseId, "the KV namespace": resources.namespaceId };
  for (const [what, id] of Object.entries(names)) {
    const other = id === undefined ? undefined : others.find(({ ids }) => ids.includes(id));
    if (other !== undefined)
      throw new CommandError(`The Worker ${other.name} binds ${what} of ${env}, ${id}, and ${worker} would bind it too. Nothing was made, migrated or deployed.
Give each its own. If ${other.name} is the former name of ${env}, delete it first: docs/deploying.md, Renaming.`);
  }
}
