import path from "node:path";
import { BINDINGS, emptyFolder, migrate, start, workerOptions } from "../../scripts/bench/runtime.ts";

const V8_FLAGS = "MINIFLARE_WORKERD_V8_FLAGS";

// Forwards the requests of a D1 binding in another runtime to the database in this runtime.
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
 * Starts the built Worker, and an empty database in another runtime, as in production. In one runtime, a request would
 * also wait while the database works for another. If an isolate of the Worker needs more than the heap, the isolate
 * ends, and all of its requests fail. Their data is in `folder`.
 * @param bindings more variables of the Worker.
 */
export async function openSmallHeap(
  worker: string,
  folder: string,
  heapMegabytes: number,
  bindings: Record<string, string> = {},
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
  // The runtime reads this variable when it starts.
  process.env[V8_FLAGS] = `--max-heap-size=${heapMegabytes}`;
  const main = start({
    ...workerOptions(worker),
    bindings: { ...BINDINGS, ...bindings },
    d1Databases: { DB: { id: "DB", remoteProxyConnectionString: remoteProxyConnectionString as never } },
    resourcePersistencePath: path.join(folder, "worker"),
  });
  const { origin: url } = await main.ready;
  delete process.env[V8_FLAGS];
  return { url, close: () => Promise.all([main.dispose(), database.dispose()]) };
}
