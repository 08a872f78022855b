import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "vitest";
import { ROOT, startProgram } from "./command.ts";
import { customer, customers, fileOf } from "./feeding.ts";
import { type Reply, scriptedService } from "./http-server.ts";
import { isInstalled } from "./languages.ts";

const SCRIPT = path.join(ROOT, "examples", "backend", "feed.py");
const line = (record: string, fields: object) => JSON.stringify({ record, ...fields });
const STORE = line("store", { id: "s1", account_id: "165", name: "A", latitude: 1, longitude: 2 });
const ACCOUNT = line("account", { id: "165", company: "Blue Cup" });
const ERASURE = line("customer", { id: "c9", deleted: true });
const CLOSED = line("store", { id: "s9", deleted: true });
const LONG = line("customer", { id: "long", pad: "x".repeat(1_200_000) });
const CAMPAIGNS = Array.from({ length: 6 }, (_, index) =>
  line("campaign", { id: `k${index}`, store_ids: Array.from({ length: 4_000 }, (_, store) => `s${store}`) }),
);

async function feedWithPython(file: readonly string[], ...replies: Reply[]) {
  const { url, acceptedRequests, requests } = await scriptedService(...replies);
  const feeding = startProgram("python3", [SCRIPT, url, fileOf(file)], { env: { LOYALTY_EDGE_TOKEN: "t" } });
  const status = await feeding.ended;
  return { status, output: feeding.output(), acceptedRequests, requests };
}

describe("the feeder in docs/feeding.md", () => {
  it("has at most the 60 lines that the page says, without blank ones", ({ expect }) => {
    const lines = readFileSync(SCRIPT, "utf8").split("\n");

    expect(lines.filter((text) => text !== "").length).toBeLessThanOrEqual(60);
    expect(lines.filter((text) => text.length > 120)).toEqual([]);
  });
});

describe.skipIf(!isInstalled("python3"))("examples/backend/feed.py", () => {
  it.for<[does: string, file: readonly string[], requests: (readonly string[])[]]>([
    ["sends at most 2,000 lines in a request", ["", ...customers(2_001)], [customers(2_000), [customer(2_001)]]],
    ["sends at most 2 MiB in a request", [LONG, LONG], [[LONG], [LONG]]],
    ["sends at most 20,000 ids in a request", CAMPAIGNS, [CAMPAIGNS.slice(0, 5), CAMPAIGNS.slice(5)]],
    ["sends what others name first", [customer(1), STORE, ACCOUNT], [[ACCOUNT, STORE, customer(1)]]],
    [
      "deletes last, in a request of its own, what names others first",
      [CLOSED, ERASURE, customer(1), ACCOUNT],
      [
        [ACCOUNT, customer(1)],
        [ERASURE, CLOSED],
      ],
    ],
  ])("%s", async ([, file, expectedRequests], { expect }) => {
    const { status, output, acceptedRequests, requests } = await feedWithPython(file);

    expect(status, output).toBe(0);
    expect(acceptedRequests).toEqual(expectedRequests);
    expect(requests[0]).toMatchObject({ token: "Bearer t", url: { pathname: "/api/v1/feed" } });
    expect(output).toContain(`${expectedRequests.flat().length} lines committed`);
  });

  it("waits and sends again after 429, 503 and a lost connection, and halves what is too large", async ({ expect }) => {
    const startedAt = performance.now();
    const busy = [429, 503].map((status) => ({ status, headers: { "Retry-After": "2" }, body: { message: "Busy." } }));

    const { status, output, requests, acceptedRequests } = await feedWithPython(
      customers(2),
      ...busy,
      { hangsUp: true },
      { status: 413, body: { message: "Too large." } },
    );

    expect(status, output).toBe(0);
    expect(requests).toHaveLength(6);
    expect(acceptedRequests).toEqual([[customer(1)], [customer(2)]]);
    expect(performance.now() - startedAt).toBeGreaterThan(4_000);
  });

  it("says how many lines are committed", async ({ expect }) => {
    const { output } = await feedWithPython(customers(3_000), {}, { status: 413 }, {}, { status: 401 });

    expect(output).toContain("2,500 lines are committed.");
  });

  it.for<[what: string, file: string[], reply: Reply, ...says: string[]]>([
    [
      "the file's line of each fault",
      ["", customer(1), ACCOUNT],
      { status: 422, body: { messages: { "line 2.id": ["must be text"], "line 1": ["is bad"] } } },
      "line 2.id: must be text",
      "line 3: is bad",
    ],
    ["a refusal", customers(1), { status: 403, body: { message: "The token is for account 1." } }, "403: The token"],
    [
      "that nothing is committed",
      customers(1),
      { status: 401, body: { message: "A valid bearer token is needed." } },
      "401: A valid bearer token is needed.\n0 lines are committed. Put this right, and send the file again.",
    ],
    ["an answer of a proxy", customers(1), { status: 404, body: "<html>" }, "404: <html>"],
    ["a kind that does not exist", ['{"record": "shop"}'], {}, "line 1: 'shop' is not in list. Nothing was sent."],
  ])("says %s", async ([, file, reply, ...says], { expect }) => {
    const { status, output } = await feedWithPython(file, reply);

    expect(status).toBe(1);
    for (const words of says) expect(output).toContain(words);
  });
});
