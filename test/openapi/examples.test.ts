import { beforeAll, describe, it } from "vitest";
import { demoLines } from "../../scripts/demo/program.ts";
import { OPERATIONS } from "../../src/reference.ts";
import { feed, mustFeed, ndjson, send } from "../support/api.ts";
import { exported } from "../support/exporting.ts";
import { customerToken } from "../support/tokens.ts";

// The examples of the reference, sent as they stand: the demo program gives the answers that stand beside them.

const examples = Object.entries(OPERATIONS).flatMap(([endpoint, operation]) => {
  const [method = "", route = ""] = endpoint.split(" ");
  // What goes over a socket is tried in test/live.
  return operation.frames === undefined ? operation.examples().map((example) => ({ method, route, ...example })) : [];
});

/** As much of an answer as an example shows: of a long list its beginning. */
function shown(answered: unknown, example: unknown): unknown {
  if (Array.isArray(answered) && Array.isArray(example) && example.length > 0) return answered.slice(0, example.length);
  if (typeof answered !== "object" || answered === null || Array.isArray(answered)) return answered;
  return Object.fromEntries(
    Object.entries(answered).map(([name, value]) => [name, shown(value, (example as Record<string, unknown>)?.[name])]),
  );
}

beforeAll(async () => {
  await mustFeed(demoLines());
});

describe("the examples of the reference", () => {
  it.for(examples)("$method $route, $summary", async ({ method, route, answer, ...given }, { expect }) => {
    if (method === "GET" && route === "/api/v1/feed") {
      const [line] = await exported(String(given.query?.record));
      expect(line).toEqual(answer);
      return;
    }
    if (route === "/api/v1/feed") {
      expect((await feed(ndjson([given.body as Record<string, unknown>]))).body).toEqual(answer);
      return;
    }
    const filled = route.replace(/:(\w+)/g, (_, name: string) => String(given.path?.[name]));
    const query = new URLSearchParams(given.query);
    const headers = { Authorization: `Bearer ${await customerToken("c1")}` };
    const body = given.body === undefined ? {} : { body: JSON.stringify(given.body) };

    const { body: answered } = await send(`${filled}?${query}`, { method, headers, ...body });

    expect(shown(answered, answer)).toEqual(JSON.parse(JSON.stringify(answer)));
  });
});
