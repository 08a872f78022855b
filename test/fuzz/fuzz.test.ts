import { exports } from "cloudflare:workers";
import fc from "fast-check";
import { afterAll, beforeAll, describe, inject, it, vi } from "vitest";
import { app } from "../../src/app.ts";
import { Failure } from "../../src/http/errors.ts";
import { mustFeed, toAnswer } from "../support/api.ts";
import { differences } from "../support/differences.ts";
import { fitDocument } from "../support/openapi.ts";
import { rows } from "../support/state.ts";
import { customerToken, exportToken, feedToken, restoreToken } from "../support/tokens.ts";
import { feedRequest, restoreRequest } from "./feed-requests.ts";
import { customerRequest, ENDPOINTS, type FuzzedRequest, OTHERS } from "./requests.ts";
import { programLines } from "./world.ts";

const { runs, seed } = inject("fuzz");
// A feed request writes, so it costs some ten times what a customer's does.
const FEED_SHARE = 0.25;
const HANG_MS = 20_000;
const PUBLIC = "public, max-age=300";

const tokens = new Map<string, Promise<string>>();
const counts = new Map<string, number>();
let addresses = 0;

function tokenOf(caller: NonNullable<FuzzedRequest["caller"]>): Promise<string> {
  const name = JSON.stringify(caller);
  const token = tokens.get(name) ?? signFor(caller);
  tokens.set(name, token);
  return token;
}

function signFor(caller: NonNullable<FuzzedRequest["caller"]>): Promise<string> {
  if ("exports" in caller) return exportToken();
  if ("customer" in caller) return customerToken(caller.customer);
  return caller.restores ? restoreToken() : feedToken(caller.accounts);
}

async function sendFuzzed({ method, target, headers, body, caller }: FuzzedRequest): Promise<Response> {
  addresses += 1;
  const all = new Headers({ ...headers, "CF-Connecting-IP": `192.0.2.${addresses}` });
  all.set("Authorization", caller === null ? `Bearer ${addresses}.x.y` : `Bearer ${await tokenOf(caller)}`);
  const request = new Request(`https://loyalty.example${target}`, { method, headers: all, body });
  return exports.default.fetch(request);
}

/** Makes sure that an answer is one of the interface, as the OpenAPI document describes it. */
async function checkAnswer({ method, path, target }: FuzzedRequest, response: Response): Promise<void> {
  const { status, headers } = response;
  const where = `${method} ${target.slice(0, 200)} answers ${status}`;
  if (status >= 500) throw new Error(`${where}: ${await response.text()}`);
  if (headers.get("X-Request-Id")?.length !== 36) throw new Error(`${where} and names no request`);
  if (headers.get("Cache-Control") !== (path === "/openapi.json" && status === 200 ? PUBLIC : "private, no-store"))
    throw new Error(`${where} and may be cached`);
  if (method === "HEAD") return;
  const answer = await toAnswer(response);
  if (status === 404 || status === 405) Failure.strict().parse(answer.body);
  else fitDocument({ method, path }, answer);
}

async function inTime(work: Promise<void>): Promise<void> {
  let timer = 0;
  const hang = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${HANG_MS} ms`)), HANG_MS) as unknown as number;
  });
  await Promise.race([work, hang]).finally(() => clearTimeout(timer));
}

async function fuzz(requests: fc.Arbitrary<FuzzedRequest>, numRuns: number): Promise<void> {
  const property = fc.asyncProperty(requests, (request) =>
    inTime(
      sendFuzzed(request).then(async (response) => {
        const name = `${request.target.startsWith("/api/v1/feed") ? "feed" : "customer"} ${response.status}`;
        counts.set(name, (counts.get(name) ?? 0) + 1);
        await checkAnswer(request, response);
      }),
    ),
  );
  await fc.assert(property, { numRuns, seed });
}

beforeAll(async () => {
  await mustFeed(programLines());
  // One line a request would drown what matters.
  vi.spyOn(console, "log").mockImplementation(() => {});
});
afterAll(() => {
  vi.restoreAllMocks();
  console.info(`Fuzzed with seed ${seed}: ${JSON.stringify(Object.fromEntries([...counts].sort()))}`);
});

describe("any request", () => {
  it("is known to the fuzzing, whichever endpoint takes it", ({ expect }) => {
    const served = app.routes.filter(({ method }) => method !== "ALL").map(({ method, path }) => `${method} ${path}`);

    expect([...Object.keys(ENDPOINTS), ...OTHERS].sort()).toEqual([...new Set(served)].sort());
  });

  it("of a customer is answered as the interface has it", () => fuzz(customerRequest, runs * (1 - FEED_SHARE)));

  it("to the feed is answered as the interface has it, and leaves every total right", async ({ expect }) => {
    await fuzz(feedRequest, runs * FEED_SHARE);

    expect(await differences()).toEqual([]);
  });

  it("that restores is answered as the interface has it, and leaves every total right", async ({ expect }) => {
    // As if the program had been restored.
    await rows("UPDATE feed_version SET restorable = 1");

    await fuzz(restoreRequest, runs * FEED_SHARE);

    expect(await differences()).toEqual([]);
  });
});
