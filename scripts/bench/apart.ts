import { mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { benchConfig, customerToken, exportToken, feedToken, INBOXES, migrate } from "./stand.ts";

/** The built Worker and its database in two runtimes, as in production, where no Worker pays for SQLite's memory. */
export interface Apart {
  url: string;
  /** The address of the Worker's inspector. */
  inspector: string;
  customerToken: (customerId: string) => Promise<string>;
  feedToken: (accounts: readonly string[] | "*") => Promise<string>;
  exportToken: () => Promise<string>;
  close: () => Promise<unknown>;
}

const V8_FLAGS = "MINIFLARE_WORKERD_V8_FLAGS";

// What D1's binding sends on its way to a database elsewhere, sent on to the one here.
const DATABASE_WORKER = `export default {
  async fetch(request, env) {
    const headers = new Headers();
    for (const [name, value] of request.headers) {
      if (name.startsWith("mf-header-")) headers.set(name.slice("mf-header-".length), value);
    }
    return env.DB.fetcher.fetch(request.headers.get("mf-url"), { method: request.method, headers, body: request.body });
  },
};`;

/** Starts both on an empty database in `folder`; every isolate of the Worker's runtime has a heap of so many MB. */
export async function openApart(worker: string, folder: string, heapMegabytes: number): Promise<Apart> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const common = { ...benchConfig(), host: "127.0.0.1", port: 0, log: new Log(LogLevel.ERROR) };
  const database = new Miniflare(
    convertV4MiniflareOptions({
      ...common,
      name: "database",
      modules: [{ type: "ESModule", path: "database.js", contents: DATABASE_WORKER }],
      d1Databases: { DB: { id: "DB" } },
      resourcePersistencePath: path.join(folder, "database"),
    }),
  );
  const remoteProxyConnectionString = await database.ready;
  await migrate((await database.getD1Database("DB")) as unknown as D1Database);
  // Read when a runtime starts, from the environment only.
  process.env[V8_FLAGS] = `--max-heap-size=${heapMegabytes}`;
  const main = new Miniflare(
    convertV4MiniflareOptions({
      ...common,
      name: "worker",
      modules: [{ type: "ESModule", path: "worker.js", contents: readFileSync(worker, "utf8") }],
      d1Databases: { DB: { id: "DB", remoteProxyConnectionString: remoteProxyConnectionString as never } },
      kvNamespaces: ["CACHE"],
      durableObjects: INBOXES,
      resourcePersistencePath: path.join(folder, "worker"),
      inspectorPort: 0,
      handleStructuredLogs: ({ level, message }) => {
        if (level === "error") console.error(message);
      },
    }),
  );
  const { origin: url } = await main.ready;
  delete process.env[V8_FLAGS];
  const inspectors = new URL("/json", String(await main.getInspectorURL()).replace(/^ws/, "http"));
  const list = (await (await fetch(inspectors)).json()) as { title: string; webSocketDebuggerUrl: string }[];
  const inspector = list.find(({ title }) => title.endsWith("worker"))?.webSocketDebuggerUrl ?? "";
  const close = () => Promise.all([main.dispose(), database.dispose()]);
  return { url, inspector, customerToken, feedToken, exportToken, close };
}
