import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import { toAnswer } from "../scripts/lib/call.ts";
import { PROBE_PATH } from "../scripts/probe/endpoint.ts";
import staging from "../scripts/probe/staging.ts";
import production from "../src/index.ts";
import { rows } from "./support/state.ts";
import { customerToken, exportToken, feedToken } from "./support/tokens.ts";

const atStaging: Pick<typeof staging, "fetch"> = staging;

/** Asks for a measurement, by default at staging and with an export token. */
async function ask(
  measurement: object,
  { entry = atStaging, environment = "staging", token = "", method = "POST" } = {},
) {
  const headers = { Authorization: `Bearer ${token || (await exportToken())}` };
  const body = method === "POST" ? JSON.stringify(measurement) : null;
  const url = `https://loyalty.example${PROBE_PATH}`;
  const request = new Request<unknown, IncomingRequestCfProperties>(url, { method, headers, body });
  const bindings = { ...env, ENVIRONMENT: environment } as Env;
  return toAnswer(await entry.fetch(request, bindings, createExecutionContext()));
}

const READS = { measure: "reads", at: "first-primary" };

describe("the endpoint of npm run edge -- probe", () => {
  it.for<[environment: string, entry: typeof atStaging]>([
    ["production", production],
    ["development", production],
    ["acme", production],
    ["staging", production],
    ["production", staging],
    ["development", staging],
  ])("exists only in staging, with staging's entry: not in %s, case %#", async ([environment, entry], { expect }) => {
    const answer = await ask(READS, { entry, environment });

    expect([answer.status, answer.body.errorCode]).toEqual([404, "NOT_FOUND"]);
  });

  it("takes only an export token", async ({ expect }) => {
    const tokens = ["no token", await customerToken("c1"), await feedToken("*")];

    const answers = await Promise.all(tokens.map((token) => ask(READS, { token })));

    expect(answers.map(({ status }) => status)).toEqual([401, 403, 403]);
  });

  it.for([
    { measure: "batch", mebibytes: 9 },
    { measure: "batch", mebibytes: 0 },
    { measure: "reads", at: "a bookmark" },
    { measure: "everything" },
  ])("refuses a measurement that npm run edge -- probe does not send: %j", async (measurement, { expect }) => {
    expect((await ask(measurement)).status).toBe(422);
  });

  it("refuses a GET that asks for no socket", async ({ expect }) => {
    expect((await ask({}, { method: "GET" })).status).toBe(426);
  });
});

describe("a measurement", () => {
  it("says whether D1 took a batch of 8 MiB, and gives the text of D1's error if not", async ({ expect }) => {
    const batch = vi.spyOn(Object.getPrototypeOf(env.DB.withSession()), "batch");
    const bind = vi.spyOn(Object.getPrototypeOf(env.DB.prepare("SELECT 1")), "bind");

    const takenBatch = await ask({ measure: "batch", mebibytes: 8 });
    const bytes = bind.mock.calls.reduce((sum, [text]) => sum + String(text).length, 0);
    batch.mockRejectedValue(new Error("D1_ERROR: too large"));
    const refusedBatch = await ask({ measure: "batch", mebibytes: 1 });

    expect(bytes / 2 ** 20).toBeCloseTo(8, 0);
    expect([takenBatch.body.items.error, refusedBatch.body.items.error]).toEqual(["", "D1_ERROR: too large"]);
  });

  it("of the lag writes, and changes nothing", async ({ expect }) => {
    const jobs = await rows("SELECT * FROM jobs");

    const lag = await ask({ measure: "lag" });

    expect(lag.body.items).toEqual({ milliseconds: expect.any(Number), isPrimary: true, isFresh: true });
    expect(await rows("SELECT * FROM jobs")).toEqual(jobs);
  });

  it("of bookmarks gives those of ten writes, one after the other", async ({ expect }) => {
    const { bookmarks } = (await ask({ measure: "bookmarks" })).body.items;

    expect(new Set(bookmarks).size).toBe(10);
    expect(bookmarks.toSorted()).toEqual(bookmarks);
  });
});
