import * as z from "zod";
import { ApiError, ask, askUnless, type Cloudflare } from "./cloudflare-api.ts";
import type { Resources } from "./deploy-files.ts";
import { configOf, databaseName, variablesOf } from "./environments.ts";
import { CommandError } from "./project.ts";

const Database = z.object({ uuid: z.string() });
const Namespace = z.object({ id: z.string(), title: z.string(), jurisdiction: z.string().nullish() });

const NO_SUCH_DATABASE = 7404;
const NAMESPACES_A_PAGE = 100;

/** Finds the database and the KV namespace of an environment by their names, or makes them. */
export async function findOrMakeResources(cloudflare: Cloudflare, env: string): Promise<Resources> {
  const jurisdiction = variablesOf(env).JURISDICTION || undefined;
  // The namespace first: one in another place ends the deployment.
  const namespaceId = await findOrMakeNamespace(cloudflare, env, jurisdiction);
  return { namespaceId, databaseId: await findOrMakeDatabase(cloudflare, env, jurisdiction) };
}

async function findOrMakeDatabase(cloudflare: Cloudflare, env: string, jurisdiction?: string): Promise<string> {
  const name = databaseName(env);
  const { database_id: id } = configOf(env).d1_databases.find(({ binding }) => binding === "DB") ?? {};
  if (id !== undefined) return id;
  const path = `/d1/database/${encodeURIComponent(name)}`;
  const found = Database.nullable().parse(await askUnless(NO_SUCH_DATABASE, cloudflare, "GET", path));
  if (found !== null) return found.uuid;
  const made = await make(`The database ${name}`, ask(cloudflare, "POST", "/d1/database", { name, jurisdiction }));
  return Database.parse(made).uuid;
}

/**
 * Wrangler would make a namespace of this name, but never looks for one: after a deployment that failed behind it, each
 * later one would fail.
 */
async function findOrMakeNamespace(cloudflare: Cloudflare, env: string, jurisdiction?: string): Promise<string> {
  const { name, kv_namespaces } = configOf(env);
  const id = kv_namespaces.find(({ binding }) => binding === "CACHE")?.id;
  if (id !== undefined) return id;
  const title = `${name}-cache`;
  const found = await findNamespace(cloudflare, title);
  if (found === undefined) {
    const body = { title, jurisdiction };
    const made = await make(`The KV namespace ${title}`, ask(cloudflare, "POST", "/storage/kv/namespaces", body));
    return Namespace.parse(made).id;
  }
  if (jurisdiction !== undefined && found.jurisdiction !== jurisdiction)
    throw new CommandError(`The KV namespace ${title} is not in the jurisdiction ${jurisdiction}, and cannot be moved. It holds only cached leaderboards: delete it, then deploy again.
npm run wrangler -- kv namespace delete --namespace-id ${found.id}`);
  return found.id;
}

async function findNamespace(
  cloudflare: Cloudflare,
  title: string,
  page = 1,
): Promise<z.infer<typeof Namespace> | undefined> {
  const path = `/storage/kv/namespaces?per_page=${NAMESPACES_A_PAGE}&page=${page}`;
  const namespaces = z.array(Namespace).parse(await ask(cloudflare, "GET", path));
  const found = namespaces.find((one) => one.title === title);
  return found ?? (namespaces.length < NAMESPACES_A_PAGE ? undefined : findNamespace(cloudflare, title, page + 1));
}

async function make(what: string, making: Promise<unknown>): Promise<unknown> {
  try {
    const made = await making;
    console.error(`Made ${what.replace("The", "the")}. It is found by that name: there is nothing to write down.`);
    return made;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new CommandError(`${what} could not be made, so nothing was migrated or deployed. ${error.message}`);
  }
}

/**
 * Has D1 answer reads from the replica nearest to the client. Wrangler has no command for it
 * (https://developers.cloudflare.com/api/resources/d1/subresources/database/methods/update).
 * @throws a CommandError that says why Cloudflare does not.
 */
export async function replicateReads(cloudflare: Cloudflare, databaseId: string): Promise<void> {
  await ask(cloudflare, "PUT", `/d1/database/${databaseId}`, { read_replication: { mode: "auto" } });
}
