import { execFileSync } from "node:child_process";
import { describe, expect, it, vi } from "vitest";
import { askDatabase } from "../../scripts/lib/database.ts";
import { withProgress } from "../../scripts/lib/progress.ts";
import { cloneCheckout, temporaryFolder } from "./clone.ts";
import { freePort, pressCtrlC, type Running, startCommand, startProgram, untilPrinted } from "./command.ts";
import { demoToken, type Service, startService } from "./service.ts";

const folder = temporaryFolder();

/** What each start says before it can fail. */
const FIRST_LINES = "Loading wrangler …\nBuilding the example app …";

/** What a restart leaves as it is: the schema, and how many requests were fed. */
const readState = () =>
  askDatabase(["PRAGMA schema_version", "SELECT version FROM program_state"], { env: "production", persistTo: folder });

/** Runs the printed lines in a shell, as if a person had copied them. */
function copyAndRun({ output }: Running): string[] {
  const lines = output().split("\n");
  const token = lines.find((line) => line.startsWith("TOKEN=")) ?? "";
  return lines
    .filter((line) => line.startsWith("curl "))
    .map((line) => execFileSync("sh", ["-c", `${token}\n${line}`], { encoding: "utf8" }));
}

describe("npm start", () => {
  it("answers the lines that it prints, the same after a restart, and ends cleanly on Ctrl-C", async () => {
    const args = ["--persist-to", folder];

    const first = await startService(args);
    const answers = copyAndRun(first);
    pressCtrlC(first);

    expect(await first.ended).toBe(0);
    expect(answers.length).toBeGreaterThan(0);
    for (const answer of answers) expect(JSON.parse(answer)).toMatchObject({ status: true });
    const state = await readState();

    const second = await startService(args, first);
    expect(copyAndRun(second)).toEqual(answers);
    expect(second.output()).not.toContain("Loading the demo program");
    expect(await readState()).toEqual(state);

    const { port } = second;
    const samePort = startCommand("start", ["--port", String(port), "--persist-to", temporaryFolder()]);
    expect(await samePort.ended).toBe(1);
    expect(samePort.output().trim()).toBe(`${FIRST_LINES}\nPort ${port} is in use. Choose another: --port ${port + 1}`);

    const sameFolder = startCommand("start", ["--port", String(await freePort()), "--persist-to", folder]);
    expect(await sameFolder.ended).toBe(1);
    expect(sameFolder.output().trim()).toBe(
      `${FIRST_LINES}\nThe data in ${folder} is in use by the service at http://127.0.0.1:${port}. Use that one, or another folder: --persist-to DIR`,
    );

    second.child.kill("SIGTERM");
    expect(await second.ended).toBe(0);
  });
});

/** Whether a process of the command's group runs. A zombie, which has ended, does not count. */
function hasRunningProcess({ child }: Running): boolean {
  const states = execFileSync("ps", ["-eo", "pgid=,stat="], { encoding: "utf8" });
  return new RegExp(`^ *${child.pid} +[^Z]`, "m").test(states);
}

/** Starts a service with an empty database, by `npm start` or as npm does. */
async function startEmpty(...command: [file: string, ...args: string[]]) {
  const port = await freePort();
  const [file, ...args] = [...command, "--port", String(port), "--persist-to", temporaryFolder(), "--no-demo"];
  const started = startProgram(file, args);
  /** Kills the first process, and waits until all processes have ended. */
  async function kill(signal: NodeJS.Signals): Promise<void> {
    started.child.kill(signal);
    await expect.poll(() => hasRunningProcess(started)).toBe(false);
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow();
  }
  return { started, kill };
}

describe("npm start -- --logs", () => {
  it("prints the log lines that the manuals name", async () => {
    const service = await startService(["--persist-to", temporaryFolder(), "--no-demo", "--logs"]);

    const refused = await fetch(`${service.url}/api/v1/customer/me`, { headers: { Authorization: "Bearer x" } });

    expect(refused.status).toBe(401);
    const requestId = refused.headers.get("X-Request-Id");
    await untilPrinted(service, `{"requestId":"${requestId}"`);
    const [line = ""] = /\{"requestId":.*\}/.exec(service.output()) ?? [];
    expect(JSON.parse(line)).toMatchObject({ error: "UNAUTHENTICATED", token: expect.any(String) });
    for (const kind of ["[wrangler:info]", "WARNING", '{"requestId"'])
      expect(service.output().split(kind).length, kind).toBeGreaterThan(2);
  });
});

describe("npm start -- --now", () => {
  it("lets coupons end as if it were that time, and the next start does not", async () => {
    const args = ["--persist-to", temporaryFolder()];
    const countCoupons = async (service: Service) => {
      const headers = { Authorization: `Bearer ${demoToken(service)}` };
      const answer = await fetch(`${service.url}/api/v1/customer/coupons`, { headers });
      const { items } = (await answer.json()) as { items: Record<string, unknown[]> };
      pressCtrlC(service);
      await service.ended;
      return Object.values(items).flat().length;
    };

    const usual = await startService(args);
    const count = await countCoupons(usual);
    const moved = await startService([...args, "--now", "2100-01-01T00:00:00Z"], usual);
    expect(await countCoupons(moved)).toBeLessThan(count);
    const again = await startService(args, moved);
    expect(await countCoupons(again)).toBe(count);
  });
});

describe("a step of the start", () => {
  it("is named at once, and every ten seconds until it is done", async () => {
    vi.useFakeTimers();
    const print = vi.spyOn(console, "error").mockImplementation(() => {});
    try {
      const done = withProgress("Migrating", () => new Promise((resolve) => setTimeout(resolve, 25_000)));
      await vi.advanceTimersByTimeAsync(60_000);
      await done;

      expect(print.mock.calls).toEqual([["Migrating …"], ["Migrating … 10 s"], ["Migrating … 20 s"]]);
    } finally {
      vi.useRealTimers();
      print.mockRestore();
    }
  });
});

describe("a running service", () => {
  it("prints a line for each answer of 400 or more, which curl ends with a line feed", async () => {
    const service = await startService(["--persist-to", temporaryFolder(), "--no-demo"]);

    const answer = execFileSync("curl", ["-s", `${service.url}/api/v1/customer/me`], { encoding: "utf8" });

    expect(answer).toMatch(
      /"message":"A valid bearer token is needed. The token was refused: missing \(docs\/tokens\.md\). Get one: npm run token -- customer ID"\}\n$/,
    );
    await untilPrinted(service, "401 GET /api/v1/customer/me UNAUTHENTICATED missing");
  });

  it("ends with the status of Ctrl-C if it is stopped while it migrates", async () => {
    const { started } = await startEmpty("node", "scripts/run.mjs", "start");
    await untilPrinted(started, "Migrating");

    pressCtrlC(started);

    expect(await started.ended).toBe(130);
  });
});

describe("npm start -- --no-demo", () => {
  it("prints nothing of the demo program, and ends if scripts/run.mjs is killed with SIGKILL", async () => {
    const { started, kill } = await startEmpty("node", "scripts/run.mjs", "start");
    await untilPrinted(started, "Ctrl-C stops it");

    await kill("SIGKILL");

    expect(started.output()).not.toMatch(/\bc1\b|s101|g1\b/);
  });

  it("ends if npm gets SIGTERM while it migrates", async () => {
    const { started, kill } = await startEmpty("npm", "start", "--");
    await untilPrinted(started, "Migrating");

    await kill("SIGTERM");
  });
});

describe("plain wrangler dev on a fresh clone", () => {
  it("builds the reference, and serves it", async () => {
    const port = await freePort();
    const cwd = cloneCheckout();
    const wrangler = startProgram("node", ["node_modules/.bin/wrangler", "dev", "--port", String(port)], { cwd });

    await untilPrinted(wrangler, "Ready on");
    const page = await fetch(`http://127.0.0.1:${port}/`);

    expect(await page.text()).toContain("scalar.js");
  });
});
