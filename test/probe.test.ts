import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import { toAnswer } from "../scripts/lib/call.ts";
import worker, { type ProbeEnv } from "../scripts/probe/worker.ts";
import { sha256Of } from "../src/values/sha256.ts";
import { rows } from "./support/state.ts";
import { exportToken } from "./support/tokens.ts";

const TOKEN = "of this run";

/** Asks the Worker of a probe for a measurement, by default with the token of its run. */
async function ask(measurement: object, token = TOKEN) {
  const headers = { Authorization: `Bearer ${token}` };
  const request = new Request<unknown, IncomingRequestCfProperties>("https://probe.example", {
    method: "POST",
    headers,
    body: JSON.stringify(measurement),
  });
  // Only calls and versions need the objects of the probe's own.
  const bindings: Omit<ProbeEnv, "PROBED"> = { ...env, TOKEN_HASH: await sha256Of(TOKEN) };
  return toAnswer(await worker.fetch(request, bindings as ProbeEnv));
}

describe("the Worker of npm run probe", () => {
  it("takes only the token of its run", async ({ expect }) => {
    const tokens = ["", "of another run", await exportToken()];

    const answers = await Promise.all(tokens.map((token) => ask({ measure: "lag" }, token)));

    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
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
    expect([takenBatch.body.error, refusedBatch.body.error]).toEqual(["", "D1_ERROR: too large"]);
  });

  it("of the lag writes, and changes nothing", async ({ expect }) => {
    const jobs = await rows("SELECT * FROM jobs");

    const lag = await ask({ measure: "lag" });

    expect(lag.body).toEqual({ milliseconds: expect.any(Number), isPrimary: true, isFresh: true });
    expect(await rows("SELECT * FROM jobs")).toEqual(jobs);
  });

  it("of bookmarks gives those of ten writes, one after the other", async ({ expect }) => {
    const { bookmarks } = (await ask({ measure: "bookmarks" })).body;

    expect(new Set(bookmarks).size).toBe(10);
    expect(bookmarks.toSorted()).toEqual(bookmarks);
  });

  it("of frames reads at the bookmark of each", async ({ expect }) => {
    const { frames } = (await ask({ measure: "frames" })).body;

    expect(frames).toEqual(Array.from({ length: 5 }, () => ({ milliseconds: expect.any(Number), isFresh: true })));
  });
});
