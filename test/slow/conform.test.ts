import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, it } from "vitest";
import { Http } from "../../scripts/conform/http.ts";
import { Tokens } from "../../scripts/conform/tokens.ts";
import { devSecret } from "../../scripts/lib/tokens.ts";
import { removeFolder } from "./clone.ts";
import { command, freePort, pressCtrlC, printed, type Running } from "./command.ts";

const folder = mkdtempSync(`${tmpdir()}/loyalty-edge-conform-`);
let url = "";
let service: Running;

beforeAll(async () => {
  const port = await freePort();
  service = command("start", ["--port", String(port), "--persist-to", folder, "--no-demo"]);
  await printed(service, "Ctrl-C stops it");
  url = `http://127.0.0.1:${port}`;
});
afterAll(async () => {
  pressCtrlC(service);
  await service.ended;
  removeFolder(folder);
});

async function conform(...args: string[]) {
  const running = command("conform", args);
  return { status: await running.ended, output: running.output() };
}

/** The records in an export that are not deleted. Events are left out, because they cannot be deleted. */
async function exported(): Promise<string[]> {
  const running = command("export", ["-", "--url", url]);
  await running.ended;
  const lines = running
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{"));
  const deleted = new Set(lines.filter((line) => line.includes('"deleted":true')).map((line) => JSON.parse(line).id));
  return lines.filter(
    (line) => /"record":"(account|store|customer|campaign|coupon)"/.test(line) && !deleted.has(JSON.parse(line).id),
  );
}

describe("npm run conform", () => {
  it("finds no broken rule in the service, and deletes what it wrote", async ({ expect }) => {
    const { status, output } = await conform("--url", url);

    expect(output).not.toContain("BROKEN");
    expect(status, output).toBe(0);
    expect(output).toMatch(/^2\d\d rules checked: 2\d\d hold, 0 are broken\.$/m);
    expect(await exported()).toEqual([]);
  });

  it("writes nothing with --read-only", async ({ expect }) => {
    const before = await version();
    const { status, output } = await conform("--url", url, "--read-only");

    expect(status, output).toBe(0);
    expect(output).toContain("because --read-only writes nothing");
    expect(await version()).toBe(before);
  });

  it("deletes what it wrote when it is stopped", async ({ expect }) => {
    const running = command("conform", ["--url", url, "--only", "live, 3"]);
    await expect.poll(async () => (await exported()).length).toBeGreaterThan(0);

    pressCtrlC(running);

    expect(await running.ended, running.output()).toBe(130);
    expect(running.output()).toContain("Stopped.");
    expect(await exported()).toEqual([]);
  });

  it("says that there is no such section", async ({ expect }) => {
    const { status, output } = await conform("--url", url, "--only", "nothing");

    expect(status).toBe(1);
    expect(output).toContain("There is no section nothing.");
  });
});

async function version(): Promise<string | null> {
  const token = await new Tokens({ secret: devSecret(), claims: {} }).export();
  const { headers } = await new Http(url, new AbortController().signal).send("/api/v1/feed", { token });
  return headers.get("X-Feed-Version");
}
