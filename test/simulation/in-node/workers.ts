import type { Inbox } from "../../../src/index.ts";
import { SETTINGS } from "../settings.ts";
import { LocalDatabase } from "./database.ts";

// What tests and the service import from `cloudflare:workers`, in Node: the bindings, and the service itself.

export class DurableObject {
  readonly ctx: unknown;
  readonly env: unknown;

  constructor(ctx: unknown, env: unknown) {
    this.ctx = ctx;
    this.env = env;
  }
}

const database = new LocalDatabase();
const cached = new Map<string, string>();
const inboxes = new Map<string, Inbox>();

const kv = {
  get: async (key: string) => JSON.parse(cached.get(key) ?? "null"),
  put: async (key: string, value: string) => {
    cached.set(key, value);
  },
};

/** An inbox that stays in memory, without sockets and alarms. */
async function inboxOf(name: string): Promise<Inbox> {
  const known = inboxes.get(name);
  if (known !== undefined) return known;
  const { Inbox } = await import("../../../src/index.ts");
  const values = new Map<string, unknown>();
  const context = {
    storage: {
      kv: {
        get: (key: string) => structuredClone(values.get(key)),
        put: (key: string, value: unknown) => values.set(key, value),
        delete: (key: string) => values.delete(key),
      },
      getAlarm: async () => null,
      setAlarm: async () => {},
      deleteAll: async () => values.clear(),
    },
    blockConcurrencyWhile: (work: () => Promise<unknown>) => work(),
    getWebSockets: () => [],
    setWebSocketAutoResponse: () => {},
  };
  const inbox = new Inbox(context as unknown as DurableObjectState, env);
  inboxes.set(name, inbox);
  return inbox;
}

const stub = (name: string) => ({
  poll: async (checkTime: string) => (await inboxOf(name)).poll(checkTime),
  subscribe: async (one: Parameters<Inbox["subscribe"]>[0]) => (await inboxOf(name)).subscribe(one),
  notify: async (one: Parameters<Inbox["notify"]>[0]) => (await inboxOf(name)).notify(one),
});

const limiter = { limit: async () => ({ success: true }) };

export const env = {
  DB: database,
  CACHE: kv,
  INBOXES: { idFromName: (name: string) => name, get: stub },
  CUSTOMER_LIMITER: limiter,
  ADDRESS_LIMITER: limiter,
  ...SETTINGS,
} as unknown as Env;

const background = new Set<Promise<unknown>>();

export const exports = {
  default: {
    fetch: async (request: Request) => {
      const { default: worker } = await import("../../../src/index.ts");
      const context = {
        waitUntil: (work: Promise<unknown>) => {
          const done: Promise<unknown> = work.finally(() => background.delete(done));
          background.add(done);
        },
        passThroughOnException: () => {},
      };
      return worker.fetch(request, env, context as unknown as ExecutionContext);
    },
  },
};

/** Empties every binding; the database keeps its migrations. */
export async function reset(): Promise<void> {
  await Promise.all(background);
  database.reset();
  cached.clear();
  inboxes.clear();
}
