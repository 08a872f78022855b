import { appendFileSync } from "node:fs";
import path from "node:path";
import { json } from "node:stream/consumers";
import { beforeAll, describe, it } from "vitest";
import { judgeBatches, judgeDeployment, judgeLags, measureDeployment } from "../../scripts/probe/measurements.ts";
import { openProbe } from "../../scripts/probe/probe-client.ts";
import { cloneCheckout } from "./clone.ts";
import { pressCtrlC, startCommand } from "./command.ts";
import { serveHttp } from "./http-server.ts";
import { inProcess } from "./in-process.ts";
import { startService } from "./service.ts";

const lag = (milliseconds: number) => ({ milliseconds, isPrimary: false });

describe("npm run probe", () => {
  const clone = cloneCheckout();
  let url = "";
  let token = "";
  const run = (name: string, ...args: string[]) => startCommand(name, args, { cwd: clone });

  beforeAll(async () => {
    ({ url } = await startService(["--env", "staging", "--no-demo"], { cwd: clone }));
    const { output } = await inProcess("token", ["export", "--env", "staging"], { root: clone });
    token = /^ey\S+$/m.exec(output)?.[0] ?? "";
  });

  it("prints each figure, its assumption and what to do", async ({ expect }) => {
    const probe = run("probe", "--url", url);

    expect(await probe.ended).toBe(0);
    const figures = probe.output().matchAll(/^(\S.*)\n {2}measured {2}(.+)\n {2}assumed {3}.+\n {2}so {8}(.+)$/gm);
    expect([...figures].map(([, name, measured, so]) => [name, measured, so])).toEqual([
      ["Size of a batch at D1", expect.stringMatching(/^1 MiB \d+ ms, 2 MiB .*, 8 MiB [\d,]+ ms$/), "holds"],
      ["Lag of a replica", "no replica answered", "not measured"],
    ]);
  });

  it("sees when an active object runs the new code", async ({ expect }) => {
    const { signal } = new AbortController();
    const client = openProbe({ url, token }, signal);
    // The local runtime treats an edited file as a deployment.
    const deploy = async () => appendFileSync(path.join(clone, "src", "staging.ts"), "// Edited.\n");

    const finding = await measureDeployment(client, deploy, signal);
    await client.clean();

    expect(finding).toEqual({
      measured: expect.stringMatching(/^\d+ s after the deployment$/),
      verdict: "holds",
    });
  });

  it("removes on Ctrl-C what it has written", async ({ expect }) => {
    const askedMeasures: string[] = [];
    const answers: Record<string, object> = {
      clean: {},
      batch: { milliseconds: 1, error: "" },
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
    ["a batch that is accepted", judgeBatches([{ mebibytes: 8, milliseconds: 1, error: "" }]), "holds"],
    [
      "a batch that is refused",
      judgeBatches([{ mebibytes: 4, milliseconds: 1, error: "memory" }]),
      "wrong: feeds of 1 MiB of lines get 413",
    ],
    ["a lag of a second", judgeLags([lag(10), lag(1_000)]), "holds"],
    ["a lag of three seconds", judgeLags([lag(10), lag(3_000)]), "wrong: raise BOOKMARK_LIMIT_MS"],
    [
      "a primary that answered because no replica did",
      judgeLags([{ milliseconds: 2_001, isPrimary: true }]),
      "wrong: raise BOOKMARK_LIMIT_MS",
    ],
    ["an object with new code at once", judgeDeployment(0), "holds"],
    ["an object with new code after ten minutes", judgeDeployment(599_000), "wrong: a method is called 599 s after"],
    ["an object that keeps its old code", judgeDeployment(null), "wrong: let more time pass"],
  ] as const)("is judged: %s", ([, { verdict }, words], { expect }) => {
    expect(verdict.startsWith(words)).toBe(true);
  });
});
