import { appendFileSync } from "node:fs";
import path from "node:path";
import { json } from "node:stream/consumers";
import { beforeAll, describe, it } from "vitest";
import { judgeDeployment, measureDeployment } from "../../scripts/probe/deployment.ts";
import {
  judgeBatches,
  judgeBookmarks,
  judgeCalls,
  judgeFresh,
  judgeLags,
  judgeReads,
} from "../../scripts/probe/measurements.ts";
import { openProbe } from "../../scripts/probe/probe-client.ts";
import { cloneCheckout } from "./clone.ts";
import { pressCtrlC, startCommand } from "./command.ts";
import { serveHttp } from "./http-server.ts";
import { inProcess } from "./in-process.ts";
import { startService } from "./service.ts";

const repeat = (count: number, milliseconds: number) => Array.from({ length: count }, () => milliseconds);
const reads = (milliseconds: number, isPrimary: boolean) => ({
  milliseconds: [milliseconds],
  isPrimary,
  region: "WEUR",
});
const lag = (milliseconds: number) => ({ milliseconds, isPrimary: false });

describe("npm run edge -- probe", () => {
  const clone = cloneCheckout();
  let url = "";
  let token = "";
  const run = (name: string, ...args: string[]) => startCommand(name, args, { cwd: clone });

  beforeAll(async () => {
    ({ url } = await startService(["--env", "staging", "--no-demo"], { cwd: clone }));
    const { output } = await inProcess("token", ["export", "--env", "staging"], { root: clone });
    token = /^ey\S+$/m.exec(output)?.[0] ?? "";
  });

  it("prints each figure and its assumption, and judges none on this machine", async ({ expect }) => {
    const probe = run("probe", "--url", url);

    expect(await probe.ended).toBe(0);
    const figures = probe.output().matchAll(/^(\S.*)\n {2}measured {2}(.+)\n {2}assumed {3}.+\n {2}so {8}(.+)$/gm);
    expect([...figures].map(([, name, measured, so]) => [name, measured, so])).toEqual([
      ["Calls to objects at once", expect.stringMatching(/^of 12 that take a second, \d+ ended/), "not judged"],
      ["Size of a batch at D1", expect.stringMatching(/^1 MiB \d+ ms, 2 MiB .*, 8 MiB [\d,]+ ms$/), "not judged"],
      ["Round trips to D1", expect.stringMatching(/^p50 of 10: primary \d+ ms .*, nearest \d+ ms/), "not judged"],
      ["Lag of a replica", "no replica answered", "not measured"],
      [
        "Order of bookmarks",
        expect.stringMatching(/^of 10 writes one after the other, from \S+ to \S+$/),
        "not judged",
      ],
      ["From a notification to a fresh read", expect.stringMatching(/^5 of 5 reads fresh, p50 \d+ ms/), "not judged"],
    ]);
  });

  it("sees when the object of an open socket runs the new code", async ({ expect }) => {
    const { signal } = new AbortController();
    const client = openProbe({ url, token }, signal);
    // The local runtime treats an edited file as a deployment.
    const deploy = async () => appendFileSync(path.join(clone, "scripts", "probe", "staging.ts"), "// Edited.\n");

    const finding = await measureDeployment(client, deploy, signal);
    await client.clean();

    expect(finding).toEqual({
      measured: expect.stringMatching(/^\d+ s after the deployment, the socket /),
      verdict: "holds",
    });
  });

  it("removes on Ctrl-C what it has written", async ({ expect }) => {
    const askedMeasures: string[] = [];
    const answers: Record<string, object> = {
      clean: {},
      calls: { calls: repeat(12, 1_010) },
      batch: { milliseconds: 1, error: "" },
      reads: reads(9, true),
    };
    // The server never answers the measurement of the lag.
    const unanswering = await serveHttp(async (request, response) => {
      const { measure } = (await json(request)) as { measure: string };
      askedMeasures.push(measure);
      if (measure in answers) response.end(JSON.stringify({ status: true, items: answers[measure] }));
    });
    const probe = run("probe", "--url", unanswering);
    await expect.poll(() => askedMeasures.at(-1)).toBe("lag");

    pressCtrlC(probe);

    expect(await probe.ended).toBe(130);
    expect(probe.output()).toMatch(/\nStopped\.\n$/);
    expect(askedMeasures.at(-1)).toBe("clean");
  });
});

describe("what a probe finds", () => {
  it.for([
    ["six calls at once", judgeCalls([...repeat(6, 1_010), ...repeat(6, 2_020)]), "holds"],
    ["five calls at once, while the others fail", judgeCalls([...repeat(5, 1_010), ..."1234567"]), "holds"],
    [
      "twelve calls at once",
      judgeCalls(repeat(12, 1_010)),
      "wrong: change CALLS_AT_ONCE in src/inbox/notify.ts to as many as 11",
    ],
    [
      "three calls at once",
      judgeCalls([...repeat(3, 1_010), ...repeat(9, 4_000)]),
      "wrong: change CALLS_AT_ONCE in src/inbox/notify.ts to 2",
    ],
    ["a batch that is accepted", judgeBatches([{ mebibytes: 8, milliseconds: 1, error: "" }]), "holds"],
    [
      "a batch that is refused",
      judgeBatches([{ mebibytes: 4, milliseconds: 1, error: "memory" }]),
      "wrong: feeds of 1 MiB of lines get 413",
    ],
    ["a nearer replica", judgeReads(reads(90, true), reads(9, false)), "holds"],
    ["a farther replica", judgeReads(reads(9, true), reads(90, false)), "wrong: here the primary is nearer"],
    ["no replica", judgeReads(reads(9, true), reads(9, true)), "wrong: no replica answered"],
    ["a lag of a second", judgeLags([lag(10), lag(1_000)]), "holds"],
    ["a lag of five seconds", judgeLags([lag(10), lag(5_000)]), "wrong: raise BOOKMARK_LIMIT_MS"],
    [
      "a primary that answered because no replica did",
      judgeLags([{ milliseconds: 4_001, isPrimary: true }]),
      "wrong: raise BOOKMARK_LIMIT_MS",
    ],
    ["bookmarks in order", judgeBookmarks(["09", "0a", "10"]), "holds"],
    ["bookmarks in another order", judgeBookmarks(["9", "10"]), "wrong: inboxes and clients"],
    ["fresh reads", judgeFresh([{ isFresh: true, milliseconds: 900 }]), "holds"],
    ["a stale read", judgeFresh([{ isFresh: false, milliseconds: 900 }]), "wrong: an app must ask again"],
    ["an object with new code at once", judgeDeployment({ objectAt: 0 }), "holds"],
    [
      "an object with new code after ten minutes",
      judgeDeployment({ objectAt: 599_000 }),
      "wrong: a method is called 599 s after",
    ],
    ["an object that keeps its old code", judgeDeployment({}), "wrong: let more time pass"],
  ] as const)("is judged: %s", ([, { verdict }, words], { expect }) => {
    expect(verdict.startsWith(words)).toBe(true);
  });
});
