import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloneCheckout, removeFolder } from "./clone.ts";
import { freePort, printed, ROOT, type Running, running } from "./command.ts";

// The commands of the drill as its page has them: only the ports and the folder are others, so that nobody else's are used.

const READY = "Ctrl-C stops it";
const JOBS = 4;
const services: Running[] = [];
let clone = "";

beforeAll(() => {
  clone = cloneCheckout();
});
afterAll(async () => {
  for (const { child } of services) child.kill("SIGTERM");
  await Promise.all(services.map(({ ended }) => ended));
  removeFolder(clone);
});

/** The commands of the drill, block by block: that of every service, and that with history. */
function blocksOfPage(): string[][] {
  const page = readFileSync(path.join(ROOT, "docs", "backups.md"), "utf8");
  const [, drill = ""] = page.split("### The drill");
  const [here = ""] = drill.split("\n## ");
  return [...here.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) =>
    block
      .split("\n")
      .map((line) => line.replace(/\s#.*/, "").trim())
      .filter((line) => line !== ""),
  );
}

/** Has all events of before the last month leave, as the page says that history is turned on. */
function turnHistoryOn(): void {
  const file = path.join(clone, "wrangler.toml");
  const config = readFileSync(file, "utf8").replace('HISTORY_MONTHS = ""', 'HISTORY_MONTHS = "1"');
  writeFileSync(file, config.replace(/# (\[\[r2_buckets\]\])\n# (.*)\n# (.*)\n/, "$1\n$2\n$3\n"));
}

const shell = (line: string) => running("sh", ["-c", `exec ${line}`], { cwd: clone });

async function serve(line: string): Promise<Running> {
  const service = shell(line);
  services.push(service);
  await printed(service, READY);
  return service;
}

async function run(line: string): Promise<string> {
  const command = shell(line);
  expect(await command.ended, `${line}\n${command.output()}`).toBe(0);
  return command.output();
}

describe("the drill of docs/backups.md", () => {
  it("restores the demo program with its history, and verifies the restored database", {
    timeout: 1_200_000,
  }, async () => {
    const [source, drill] = [path.join(clone, "source"), path.join(clone, "drill")];
    const [port, other] = [await freePort(), await freePort()];
    const [lines = [], withHistory = []] = blocksOfPage().map((block) =>
      block.map((line) =>
        line.replace("8787", String(port)).replace("8788", String(other)).replace("/tmp/drill", drill),
      ),
    );
    const start = `npm start -- --port ${port} --persist-to ${source}`;
    // The demo program is older than what is kept afterwards.
    const first = await serve(start);
    first.child.kill("SIGTERM");
    await first.ended;
    turnHistoryOn();
    await serve(start);
    // Each minute takes one of the jobs, which are all due at first.
    for (let minute = 0; minute < JOBS; minute += 1) await fetch(`http://127.0.0.1:${port}/__scheduled`);
    const status = await run(`npm run history -- status --persist-to ${source}`);

    const outputs = [];
    for (const line of [...lines, ...withHistory]) {
      if (line.startsWith("npm start")) await serve(line);
      else outputs.push(await run(line.includes("history -- copy") ? `${line} --persist-to ${source}` : line));
    }

    expect(status).toContain("All of them have left.");
    expect([lines.length, withHistory.length]).toEqual([6, 3]);
    expect(outputs[2]).toContain("All derived data agrees with the records.");
    expect(outputs[5]).toMatch(/^[1-9]\d* objects copied, 0 were there/m);
    expect(outputs[6]).toMatch(/^[1-9]\d* objects put back, 0 were there/m);
    expect(outputs[7]).toMatch(/^history: [1-9]\d* segments with \d,\d{3} lines, as expected$/m);
    const exported = readFileSync(path.join(clone, "again.ndjson"), "utf8");
    expect(exported.split("\n").length).toBeGreaterThan(1_000);
    expect(exported).toContain('"record":"play","sealed":true');
    expect(exported).not.toContain('"record":"balance_entry","id"');
    // What no command was told to use.
    expect(existsSync(path.join(clone, ".wrangler", "state"))).toBe(false);
  });
});
