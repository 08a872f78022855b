import { beforeAll, describe, it, vi } from "vitest";
import { demoLines } from "../../scripts/program/program.ts";
import { JSON_BODY_LIMIT } from "../../src/http/body.ts";
import { BODY_LIMIT } from "../../src/http/limits.ts";
import { OPERATIONS } from "../../src/reference.ts";
import { type Answer, mustFeed } from "../support/api.ts";
import { senderTo } from "../support/bindings.ts";
import { databaseThrough } from "../support/databases.ts";
import { document } from "../support/openapi.ts";
import { customerToken, exportToken, feedToken, tillToken } from "../support/tokens.ts";
import { passFakeTime } from "../support/wait.ts";

// Each failure that the reference documents happens, with the status that is written here, and at no other endpoint. Each
// answer must be documented, because `senderTo` compares it with the document.

/** An endpoint, and the first example of it in the reference, which succeeds. */
interface Endpoint {
  /** The name of its function in a generated client. */
  id: string;
  name: string;
  method: string;
  /** The path in the document. */
  template: string;
  path: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
  body: Readonly<Record<string, unknown>> | null;
}

/** What differs from the example. */
interface Change extends Partial<Pick<Endpoint, "method" | "path" | "query">> {
  token?: string | null;
  headers?: Record<string, string>;
  body?: object | string | ReadableStream | null;
  bindings?: object;
}

const ENDPOINTS: readonly Endpoint[] = Object.entries(OPERATIONS).map(([name, { id, examples }]) => {
  const [method = "", route = ""] = name.split(" ");
  const { path = {}, query = {}, body = null } = examples[0] ?? {};
  return { id, name, method, template: route.replace(/:(\w+)/g, "{$1}"), path, query, body };
});

function tokenFor({ name }: Endpoint): Promise<string> {
  if (name === "POST /api/v1/feed") return feedToken("*");
  if (name.includes("/api/v1/feed")) return exportToken();
  return name.includes("/api/v1/till/") ? tillToken() : customerToken("c1");
}

async function ask(endpoint: Endpoint, { bindings = {}, headers, token, ...change }: Change = {}): Promise<Answer> {
  const { method, template, path, query, body } = { ...endpoint, ...change };
  const bearer = token === undefined ? await tokenFor(endpoint) : token;
  const filledPath = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ""));
  const isSent = body === null || typeof body === "string" || body instanceof ReadableStream;
  return senderTo(bindings)(`${filledPath}?${new URLSearchParams(query)}`, {
    method,
    headers: { ...(bearer !== null && { Authorization: `Bearer ${bearer}` }), ...headers },
    body: isSent ? body : JSON.stringify(body),
  });
}

const documentedStatuses = ({ template, method }: Endpoint) =>
  Object.keys(document.paths[template]?.[method.toLowerCase()]?.responses ?? {}).map(Number);

const failingDatabase = (error: Error) => ({
  DB: databaseThrough(async () => {
    throw error;
  }),
});

/** A database that is full: it refuses each batch that adds something. */
const FULL = {
  DB: databaseThrough(async ({ sql, send }) => {
    if (sql.some((statement) => /\bINSERT INTO/i.test(statement)))
      throw new Error("D1_ERROR: Exceeded maximum DB size");
    return send();
  }),
};
const REFUSING = { limit: async () => ({ success: false }) };
/** A part of the Worker's own bindings that only `/health` reads. */
const BROKEN_VERSION = {
  get tag() {
    throw new TypeError("a bug");
  },
};

/** The names of what an endpoint looks up, or of an id that it stores. */
const IDS = /^(id|scan_id|(customer|customer_coupon|group|redemption)_id)$/;
/** An id that no other endpoint has stored. */
const unknownIdAt = ({ id }: Endpoint) => `unknown-${id}`;
const withUnknownIds = (endpoint: Endpoint, values: object) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, IDS.test(name) ? unknownIdAt(endpoint) : value]),
  );
/** Values that are wrong for every type. */
const withBadValues = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, "\u0000"]));

const TOO_LONG = "x".repeat(65);

const isFeed = ({ name }: Endpoint) => name === "POST /api/v1/feed";

// 500 and 503 come first: a board that was answered before needs no database.
const PROVOCATIONS: readonly [status: number, provoke: (endpoint: Endpoint) => Promise<Answer>][] = [
  [
    500,
    (endpoint) =>
      ask(endpoint, {
        headers: { Upgrade: "websocket" },
        bindings:
          endpoint.template === "/health"
            ? { CF_VERSION_METADATA: BROKEN_VERSION }
            : failingDatabase(new TypeError("a bug")),
      }),
  ],
  [
    503,
    (endpoint) =>
      ask(endpoint, {
        headers: { Upgrade: "websocket" },
        // `/health` asks the database only every few seconds, but looks for every binding.
        bindings: { ...failingDatabase(new Error("D1_ERROR: D1 DB is overloaded.")), FAN_OUTS: undefined },
      }),
  ],
  [
    400,
    (endpoint) =>
      isFeed(endpoint)
        ? ask(endpoint, { headers: { "Content-Length": "9" }, body: new Blob(["{"]).stream() })
        : ask(endpoint, { body: '["a"]' }),
  ],
  [401, (endpoint) => ask(endpoint, { token: null })],
  [
    403,
    async (endpoint) => {
      const ofAnother = endpoint.template.includes("/customer/") ? exportToken() : customerToken("c1");
      return ask(endpoint, { token: await ofAnother });
    },
  ],
  [
    404,
    async (endpoint) =>
      ask(endpoint, {
        ...(endpoint.template.includes("/customer/") && { token: await customerToken("nobody") }),
        path: withUnknownIds(endpoint, endpoint.path),
        query: withUnknownIds(endpoint, endpoint.query),
        body: endpoint.body && withUnknownIds(endpoint, endpoint.body),
      }),
  ],
  [405, (endpoint) => ask(endpoint, { method: "PATCH" })],
  [408, askSlowly],
  [409, (endpoint) => ask(endpoint, { body: endpoint.body && { ...endpoint.body, store_id: "s101-1-5" } })],
  [410, (endpoint) => ask(endpoint, { query: { after: '{"database":"another","version":1,"at":""}' } })],
  [413, (endpoint) => ask(endpoint, { body: " ".repeat((isFeed(endpoint) ? BODY_LIMIT : JSON_BODY_LIMIT).bytes + 1) })],
  [
    422,
    (endpoint) => {
      const { parameters = [] } = document.paths[endpoint.template]?.[endpoint.method.toLowerCase()] ?? {};
      const named = parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name);
      // The customer c1 cannot block c1.
      const path = Object.fromEntries(
        Object.keys(endpoint.path).map((name) => [name, name === "customer_id" ? "c1" : TOO_LONG]),
      );
      const body = endpoint.body && withBadValues(Object.keys(endpoint.body));
      return ask(endpoint, { path, query: withBadValues(named), body });
    },
  ],
  [426, (endpoint) => ask(endpoint)],
  [429, (endpoint) => ask(endpoint, { token: null, bindings: { ADDRESS_LIMITER: REFUSING } })],
  [507, (endpoint) => ask(endpoint, { bindings: FULL })],
];

/** Sends a body that does not end. */
async function askSlowly(endpoint: Endpoint): Promise<Answer> {
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  writer.closed.catch(() => {});
  writer.write(new Uint8Array([0x20])).catch(() => {});
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
  const answer = ask(endpoint, { body: readable });
  await passFakeTime(10_000);
  vi.useRealTimers();
  return answer;
}

beforeAll(async () => {
  await mustFeed(demoLines());
  // The ids of the examples are used then, so that another content is a conflict.
  for (const endpoint of ENDPOINTS.filter(({ method, template }) => method !== "GET" && template.includes("/till/")))
    await ask(endpoint);
});

describe("the reference", () => {
  it.for(PROVOCATIONS)("documents a %i where it happens, and nowhere else", async ([status, provoke], { expect }) => {
    const faults: string[] = [];
    for (const endpoint of ENDPOINTS) {
      const answer = await provoke(endpoint);
      const isDocumented = documentedStatuses(endpoint).includes(status);
      if ((answer.status === status) !== isDocumented) faults.push(`${endpoint.name} answers ${answer.status}`);
    }

    expect(faults).toEqual([]);
  });

  it("documents no failure that is not provoked here", ({ expect }) => {
    const documented = new Set(ENDPOINTS.flatMap(documentedStatuses).filter((status) => status >= 400));

    expect(PROVOCATIONS.map(([status]) => status).toSorted()).toEqual([...documented].toSorted());
  });
});
