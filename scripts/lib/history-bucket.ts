import path from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { openCloudflare, resultOf, send } from "./cloudflare-api.ts";
import type { Where } from "./database.ts";
import { readConfigFile } from "./program-config.ts";
import { CommandError } from "./project.ts";

/** The R2 bucket in which a deployment, or a local service, has its segments. */
export interface Bucket {
  /** The bytes of an object; null where there is none. */
  read: (key: string) => Promise<Buffer | null>;
  /** Writes an object, in the place of one that is there. */
  write: (key: string, bytes: Buffer) => Promise<void>;
  close: () => Promise<void>;
}

/** The bucket that wrangler.toml binds. @throws a CommandError where it binds none. */
export function boundBucket(where: Where) {
  const config = readConfigFile();
  const env = "remote" in where && where.env !== "production" ? config.env?.[where.env] : config;
  const bound = env?.r2_buckets?.find(({ binding }) => binding === "HISTORY");
  if (bound === undefined)
    throw new CommandError(
      "wrangler.toml binds no bucket as HISTORY: docs/operating.md says how history is turned on.",
    );
  return { name: bound.bucket_name ?? bound.binding, jurisdiction: bound.jurisdiction, account: config.account_id };
}

/** @throws a CommandError where wrangler.toml binds no bucket, or nobody is logged in. */
export async function openBucket(where: Where): Promise<Bucket> {
  const { name, jurisdiction, account } = boundBucket(where);
  return "remote" in where ? deployed(name, jurisdiction, account) : local(name, where.persistTo);
}

/** Wrangler would take a second for each object, so Cloudflare's API is asked itself: where wrangler asks it too. */
async function deployed(name: string, jurisdiction: string | undefined, account: string | undefined): Promise<Bucket> {
  const cloudflare = await openCloudflare(process.env.CLOUDFLARE_ACCOUNT_ID || account);
  const headers = { ...cloudflare.headers, ...(jurisdiction && { "cf-r2-jurisdiction": jurisdiction }) };
  const pathOf = (key: string) => `/accounts/${cloudflare.accountId}/r2/buckets/${name}/objects/${key}`;
  return {
    async read(key) {
      const response = await send(pathOf(key), { headers });
      if (response.status === 404) return null;
      if (!response.ok) resultOf(response, await response.text());
      return Buffer.from(await response.arrayBuffer());
    },
    async write(key, bytes) {
      const response = await send(pathOf(key), { method: "PUT", headers, body: new Uint8Array(bytes) });
      resultOf(response, await response.text());
    },
    close: async () => {},
  };
}

async function local(name: string, persistTo: string): Promise<Bucket> {
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
    async read(key) {
      const object = await bucket.get(key);
      return object === null ? null : Buffer.from(await object.arrayBuffer());
    },
    async write(key, bytes) {
      await bucket.put(key, bytes);
    },
    close: () => miniflare.dispose(),
  };
}
