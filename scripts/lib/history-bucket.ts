import path from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import * as z from "zod";
import { accountOf, openCloudflare, resultOf, send } from "./cloudflare-api.ts";
import type { DatabaseLocation } from "./database.ts";
import { historyBucket, variablesOf } from "./environments.ts";
import { CommandError } from "./project.ts";

/** Where the objects of segments are stored. */
export interface ObjectStore {
  storage: "bucket" | "folder";
  /** The bytes of an object; null if there is no such object. */
  read: (key: string) => Promise<Buffer | null>;
  /** Writes or replaces an object. */
  write: (key: string, bytes: Buffer) => Promise<void>;
}

/** The R2 bucket with the segments of a deployment or a local service. */
export interface Bucket extends ObjectStore {
  /** The keys that begin with the prefix. */
  list: (prefix: string) => Promise<string[]>;
  close: () => Promise<void>;
}

const ListAnswer = z.object({
  result: z.array(z.object({ key: z.string() })),
  result_info: z.object({ cursor: z.string().optional() }).optional(),
});

/** The bucket that wrangler.toml binds. @throws a CommandError if it binds none. */
export function boundBucket({ env }: DatabaseLocation) {
  const binding = historyBucket(env);
  if (binding === undefined)
    throw new CommandError(
      `wrangler.toml binds no bucket as HISTORY in ${env}: docs/history.md says how history is turned on.`,
    );
  return { name: binding.bucket_name ?? binding.binding, jurisdiction: binding.jurisdiction };
}

/** The key of the object that has the name of the Worker that owns the bucket (docs/contract/history.md, 2). */
const OWNER_KEY = "owner";

/**
 * @throws a CommandError if wrangler.toml binds no bucket, nobody is logged in, or the bucket is another deployment's.
 */
export async function openBucket(database: DatabaseLocation): Promise<Bucket> {
  const { name, jurisdiction } = boundBucket(database);
  const bucket = await ("remote" in database
    ? deployedBucket(name, jurisdiction, database.env)
    : localBucket(name, database.persistTo));
  const owner = (await bucket.read(OWNER_KEY))?.toString();
  if (owner === undefined || owner === workerName(database)) return bucket;
  await bucket.close();
  throw new CommandError(`The bucket ${name} belongs to ${owner}. Nothing was changed.`);
}

/** Makes this deployment the owner of a bucket that has none. */
export async function claimBucket(bucket: Bucket, database: DatabaseLocation): Promise<void> {
  if ((await bucket.read(OWNER_KEY)) === null) await bucket.write(OWNER_KEY, Buffer.from(workerName(database)));
}

function workerName({ env }: DatabaseLocation): string {
  return variablesOf(env).WORKER_NAME ?? "";
}

/** The bucket of a deployment. It asks Cloudflare's API, because wrangler would take a second for each object. */
async function deployedBucket(name: string, jurisdiction: string | undefined, env: string): Promise<Bucket> {
  const cloudflare = await openCloudflare(accountOf(env));
  const headers = jurisdiction === undefined ? {} : { "cf-r2-jurisdiction": jurisdiction };
  const ask = (path: string, init: RequestInit = {}) =>
    send(cloudflare, `/r2/buckets/${name}/objects${path}`, { ...init, headers });
  return {
    storage: "bucket",
    async read(key) {
      const answer = await ask(`/${key}`);
      if (answer.status === 404) return null;
      if (answer.status !== 200) resultOf(answer);
      return answer.bytes;
    },
    async write(key, object) {
      resultOf(await ask(`/${key}`, { method: "PUT", body: new Uint8Array(object) }));
    },
    async list(prefix) {
      const keys: string[] = [];
      for (let cursor: string | undefined = ""; cursor !== undefined; ) {
        const answer = await ask(`?${new URLSearchParams({ prefix, ...(cursor && { cursor }) })}`);
        resultOf(answer);
        const { result, result_info } = ListAnswer.parse(JSON.parse(answer.bytes.toString()));
        keys.push(...result.map(({ key }) => key));
        const hasMore = result.length > 0 && result_info?.cursor !== "";
        cursor = hasMore ? result_info?.cursor : undefined;
      }
      return keys;
    },
    close: async () => {},
  };
}

async function localBucket(name: string, persistTo: string): Promise<Bucket> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: "export default {}",
      r2Buckets: { BUCKET: name },
      resourcePersistencePath: path.join(path.resolve(persistTo), "v3"),
    }),
  );
  const { BUCKET: bucket } = await miniflare.getBindings<{ BUCKET: R2Bucket }>();
  return {
    storage: "bucket",
    async read(key) {
      const object = await bucket.get(key);
      return object === null ? null : Buffer.from(await object.arrayBuffer());
    },
    async write(key, bytes) {
      await bucket.put(key, bytes);
    },
    async list(prefix) {
      const keys: string[] = [];
      for (let cursor: string | undefined = ""; cursor !== undefined; ) {
        const page: R2Objects = await bucket.list({ prefix, ...(cursor && { cursor }) });
        keys.push(...page.objects.map(({ key }) => key));
        cursor = page.truncated ? page.cursor : undefined;
      }
      return keys;
    },
    close: () => miniflare.dispose(),
  };
}
