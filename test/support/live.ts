import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import type { InboxState } from "../../src/inbox/inbox-state.ts";
import { inboxName } from "../../src/inbox/inboxes.ts";
import type { Connection, Notification } from "../../src/inbox/protocol.ts";
import { mustFeed } from "./api.ts";
import * as seed from "./seed.ts";
import { customerToken } from "./tokens.ts";
import { waitUntil } from "./wait.ts";

export const LIVE = "/api/v1/customer/live";

/** A socket of a customer, its frames so far, and how it was closed. */
export interface Listener {
  socket: WebSocket;
  frames: unknown[];
  /** Waits for the first frame that `next` has not returned yet. */
  next: () => Promise<unknown>;
  closed: Promise<{ code: number; reason: string }>;
}

export function handshake(headers: Record<string, string>, path = LIVE): Promise<Response> {
  const address = new URL(path, "https://loyalty.example");
  return exports.default.fetch(new Request(address, { headers: { Upgrade: "websocket", ...headers } }));
}

const SIGNED_HELLO = /^\{"type":"hello","bookmark":"[0-9a-f-]{59}\.[\w-]{43}"\}$/;

/** Opens a customer's socket, and waits for its hello. */
export async function listenAs(customerId: string, claims: Record<string, unknown> = {}): Promise<Listener> {
  const token = await customerToken(customerId, claims);
  const answer = await handshake({ Authorization: `Bearer ${token}` });
  if (answer.webSocket === null) throw new Error(`no socket: ${answer.status} ${await answer.text()}`);
  const listener = listenOn(answer.webSocket);
  const hello = JSON.stringify(await listener.next());
  if (!SIGNED_HELLO.test(hello)) throw new Error(`no hello: ${hello}`);
  return listener;
}

export async function inboxOf(customerId: string) {
  return env.INBOXES.get(env.INBOXES.idFromName(await inboxName(env.ENVIRONMENT, customerId)));
}

/** Runs code inside a customer's inbox, to read or change its state. */
export async function inInbox<Value>(customerId: string, work: (state: DurableObjectState) => Value | Promise<Value>) {
  return runInDurableObject(await inboxOf(customerId), (_, state) => work(state));
}

export const evict = async (customerId: string) => evictDurableObject(await inboxOf(customerId));

/** Runs the inbox's alarm now, if one is set. */
export const runAlarm = async (customerId: string) => runDurableObjectAlarm(await inboxOf(customerId));

/** A notification, by default of no change. */
export const notification = (fields: Partial<Notification> = {}): Notification => ({
  topics: [],
  newestAt: "",
  bookmark: "",
  ...fields,
});

/** A socket, as the Worker describes it to the inbox. */
export const connection = (customerId: string, fields: Partial<Connection> = {}): Connection => ({
  customerId,
  tokenExpires: Math.floor(Date.now() / 1_000) + 3_600,
  subscription: { newestAt: "", bookmark: "", at: Date.now() },
  ...fields,
});

export const openSockets = (customerId: string) =>
  inInbox(
    customerId,
    (state) => state.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN).length,
  );

/** A customer, and a way to change their balance. */
export async function seedCustomer() {
  const account = seed.account();
  const store = seed.store(account.id);
  const customer = seed.customer();
  await mustFeed([account, store, customer]);
  return { id: customer.id, change: () => mustFeed([seed.entry(customer.id, store.id, "1.00")]) };
}

/** Waits until the inbox has sent all frames. Resolves with the changes that each frame lists. */
export async function framesOf({ socket, frames }: Listener, customerId: string): Promise<unknown[]> {
  const isPending = () => inInbox(customerId, ({ storage }) => storage.kv.get<InboxState>("state")?.frame != null);
  await waitUntil(async () => !(await isPending()));
  // Frames arrive in order, so the answer to a ping comes after all frames that were sent before it.
  const countPongs = () => frames.filter((frame) => frame === "pong").length;
  const pongsBefore = countPongs();
  socket.send("ping");
  await waitUntil(() => countPongs() > pongsBefore);
  return frames.flatMap((frame) => (isChanged(frame) ? [frame.what] : []));
}

function isChanged(frame: unknown): frame is { what: string[] } {
  return typeof frame === "object" && frame !== null && "what" in frame;
}

export function listenOn(socket: WebSocket): Listener {
  const frames: unknown[] = [];
  let readCount = 0;
  socket.addEventListener("message", ({ data }) => {
    frames.push(String(data).startsWith("{") ? JSON.parse(String(data)) : data);
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.addEventListener("close", ({ code, reason }) => resolve({ code, reason }));
  });
  const next = async () => {
    while (frames.length === readCount)
      await new Promise((resolve) => socket.addEventListener("message", resolve, { once: true }));
    readCount += 1;
    return frames[readCount - 1];
  };
  socket.accept();
  return { socket, frames, next, closed };
}
