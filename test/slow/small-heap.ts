import path from "node:path";
import { emptyFolder, migrate, start, workerOptions } from "../../scripts/bench/runtime.ts";

const V8_FLAGS = "MINIFLARE_WORKERD_V8_FLAGS";

// Passes the requests of a D1 binding in another runtime on to the database here.
const DATABASE_WORKER = `export default {
  async fetch(request, env) {
    const headers = new Headers();
    for (const [name, value] of request.headers) {
      if (name.startsWith("mf-header-")) headers.set(name.slice("mf-header-".length), value);
    }
    return env.DB.fetcher.fetch(request.headers.get("mf-url"), { method: request.method, headers, body: request.body });
  },
};`;

/**
 * The built Worker on an empty database in `folder`, which is in another runtime, as in production. Every isolate of the
 * Worker's runtime has a heap of so many MB: one that needs more ends, and with it all requests in it.
 */
export async function openSmallHeap(
  worker: string,
  folder: string,
  heapMegabytes: number,
): Promise<{ url: string; close: () => Promise<unknown> }> {
  emptyFolder(folder);
  const database = start({
    name: "database",
    modules: [{ type: "ESModule", path: "database.js", contents: DATABASE_WORKER }],
    d1Databases: { DB: { id: "DB" } },
    resourcePersistencePath: path.join(folder, "database"),
  });
  const remoteProxyConnectionString = await database.ready;
  await migrate((await database.getD1Database("DB")) as D1Database);
  // The runtime reads it when it starts, and only from the environment.
  process.env[V8_FLAGS] = `--max-heap-size=${heapMegabytes}`;
  const main = start({
    ...workerOptions(worker),
    d1Databases: { DB: { id: "DB", remoteProxyConnectionString: remoteProxyConnectionString as never } },
    resourcePersistencePath: path.join(folder, "worker"),
  });
  const { origin: url } = await main.ready;
  delete process.env[V8_FLAGS];
  return { url, close: () => Promise.all([main.dispose(), database.dispose()]) };
}
