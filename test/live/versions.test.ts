import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { CONNECTION_HEADER } from "../../src/inbox/protocol.ts";
import { feedTo, sendTo } from "../support/bindings.ts";
import { pass, seedGroup, seedListeners, startEachWithoutChanges } from "../support/listeners.ts";
import { evict, framesOf, inboxOf, inInbox, LIVE, listenOn } from "../support/live.ts";
import * as seed from "../support/seed.ts";
import { customerToken } from "../support/tokens.ts";
import { waitUntil } from "../support/wait.ts";

// For up to five minutes after a deployment a Worker calls objects of the previous version, and after a rollback objects
// of the next one (docs/deploying.md, The inboxes). This file has the calls, answers and storage of the previous version.
// Each release replaces them by its own. The simulation deploys versions that lack a method.

const [CUSTOMER, TIME] = ["c-1", "2026-06-01 12:00:00"];
const BOOKMARK = "00000001-00000000-00000000-00000000000000000000000000000000";
const now = () => Date.now();

/** The arguments of each method. */
const formerArguments = () => {
  const subscription = { newestAt: TIME, bookmark: BOOKMARK, at: now() };
  const notification = { topics: ["messages"], newestAt: TIME, bookmark: BOOKMARK };
  const tokenExpires = Math.floor(now() / 1_000) + 3_600;
  return {
    poll: [TIME],
    subscribe: [subscription],
    notify: [notification],
    fetch: [{ customerId: CUSTOMER, tokenExpires, subscription }],
    fanOut: [[{ customerId: CUSTOMER, ...notification }], now() + 10_000],
  };
};

/** The answers of the methods that return a value. */
const formerAnswers = () => ({
  poll: { nothingNew: false, isSubscribed: false, bookmark: BOOKMARK, at: now() },
  fanOut: { reached: new Set([CUSTOMER]), isOverloaded: false },
});

/** The storage of an inbox, and the attachment of a socket. */
const formerStorage = () => ({
  state: {
    subscription: { newestAt: "", at: now() },
    notified: { newestAt: TIME, at: now() },
    bookmark: { text: BOOKMARK, grewAt: now() },
    frame: { topics: ["balance"], dueAt: now() },
  },
  attachment: {
    customerId: CUSTOMER,
    tokenExpires: Math.floor(now() / 1_000) + 3_600,
    order: 1,
    frames: { since: now(), count: 0 },
  },
});

/** The types in a value; of a list, the types in its first item. */
function typesOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(typesOf);
  if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value;
  if (value instanceof Set) return "set";
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, typesOf(item)]));
}

/** Bindings to objects that answer as the previous version did. `calls` has the last arguments of each method. */
function formerObjects() {
  const calls: Record<string, unknown> = {};
  const { poll, fanOut } = formerAnswers();
  const noteCall =
    (name: string, answer?: unknown) =>
    async (...args: unknown[]) => {
      calls[name] = args;
      return answer;
    };
  const fetch = async (_: string, { headers }: { headers: Record<string, string> }) => {
    calls.fetch = [JSON.parse(decodeURIComponent(headers[CONNECTION_HEADER] ?? ""))];
    return new Response(null, { status: 101, webSocket: new WebSocketPair()[0] });
  };
  const inbox = { poll: noteCall("poll", poll), subscribe: noteCall("subscribe"), notify: noteCall("notify"), fetch };
  const bind = (stub: object) => ({ idFromName: (name: string) => name, get: () => stub });
  return { calls, bindings: { INBOXES: bind(inbox), FAN_OUTS: bind({ notify: noteCall("fanOut", fanOut) }) } };
}

async function askAs(customerId: string, bindings: object, path: string, headers: Record<string, string> = {}) {
  const Authorization = `Bearer ${await customerToken(customerId)}`;
  return sendTo(bindings, path, { headers: { Authorization, ...headers } });
}

const pollAt = (bindings: object, customerId: string) => askAs(customerId, bindings, "/api/v1/customer/messages");
const connectAt = (bindings: object, customerId: string) => askAs(customerId, bindings, LIVE, { Upgrade: "websocket" });

describe("this version's objects", () => {
  it("take the calls of the previous version, and answer as it did", async ({ expect }) => {
    const { poll, subscribe, notify, fetch, fanOut } = formerArguments();
    const inbox = (await inboxOf(CUSTOMER)) as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    const fanOuts = env.FAN_OUTS as unknown as { getByName: (name: string) => Record<string, typeof inbox.poll> };

    const polled = await inbox.poll?.(...poll);
    const header = encodeURIComponent(JSON.stringify(fetch[0]));
    const headers = { Upgrade: "websocket", [CONNECTION_HEADER]: header };
    const { status, webSocket } = await (await inboxOf(CUSTOMER)).fetch("https://inbox/", { headers });
    const socket = webSocket && listenOn(webSocket);
    await inbox.subscribe?.(...subscribe);
    await inbox.notify?.(...notify);
    const called = await fanOuts.getByName("feed 1").notify?.(...fanOut);

    expect(typesOf(polled)).toMatchObject(typesOf(formerAnswers().poll) as object);
    expect([status, await socket?.next()]).toMatchObject([101, { type: "hello", bookmark: expect.any(String) }]);
    expect(socket && (await framesOf(socket, CUSTOMER))).toContainEqual(["messages"]);
    expect(called).toMatchObject(formerAnswers().fanOut);
  });

  it("read the storage of the previous version", async ({ expect }) => {
    const { reader } = await seedGroup();
    const answer = await connectAt(env, reader);
    const socket = answer.webSocket && listenOn(answer.webSocket);
    const { state, attachment } = formerStorage();
    await inInbox(reader, async ({ storage }) => {
      await storage.deleteAll();
      storage.kv.put("state", state);
      await storage.setAlarm(now() + 100);
    });
    await inInbox(reader, (context) => context.getWebSockets()[0]?.serializeAttachment(attachment));
    await evict(reader);

    const inbox = await inboxOf(reader);
    const [later, earlier] = [await inbox.poll("2026-06-01 12:00:00"), await inbox.poll("2026-06-01 11:59:59")];

    expect([later.nothingNew, earlier.nothingNew]).toEqual([true, false]);
    expect(socket && (await framesOf(socket, reader))).toEqual([["balance"]]);
  });
});

describe("this version's Worker", () => {
  startEachWithoutChanges();

  it("calls only methods of the previous version, with their arguments", async ({ expect }) => {
    const { calls, bindings } = formerObjects();
    const { reader, writer, group } = await seedGroup();
    const { messages } = await seedListeners(200);

    const polled = await pollAt(bindings, reader);
    await waitUntil(() => "subscribe" in calls);
    const connected = await connectAt(bindings, reader);
    const fed = await feedTo(bindings, [seed.message(group, writer)]);
    const fannedOut = await feedTo(bindings, messages);
    await pass(1);
    await waitUntil(() => "notify" in calls && "fanOut" in calls);

    expect([polled, connected, fed, fannedOut].map(({ status }) => status)).toEqual([200, 101, 200, 200]);
    const expected = formerArguments();
    for (const [name, args] of Object.entries(expected))
      expect(typesOf(calls[name])).toMatchObject(typesOf(args) as []);
  });
});
