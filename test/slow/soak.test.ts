import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, it } from "vitest";
import { command, freePort, pressCtrlC, printed } from "./command.ts";

const folder = mkdtempSync(path.join(tmpdir(), "loyalty-edge-soaked-"));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const soakFolders = () => readdirSync(tmpdir()).filter((name) => name.startsWith("loyalty-edge-soak-"));

describe("npm run soak", () => {
  it("loads every endpoint and the feed, finds nothing wrong, and leaves nothing behind", { timeout: 300_000 }, async ({
    expect,
  }) => {
    const [port, json, before] = [await freePort(), path.join(folder, "report.json"), soakFolders()];
    const args = ["--minutes", "0.1", "--connections", "8", "--port", String(port), "--json", json];

    const running = command("soak", args);
    const status = await running.ended;

    expect({ status, output: running.output() }).toMatchObject({ status: 0 });
    expect(running.output()).toContain("Totals: as acknowledged, and as counted from the records");
    const report = JSON.parse(readFileSync(json, "utf8"));
    expect(Object.keys(report.endpoints)).toHaveLength(7);
    expect(report).toMatchObject({ connections: 8, seed: 1, errors: {}, differences: [] });
    expect(report.feed.lines).toBeGreaterThan(0);
    expect(report.memory.end).toBeGreaterThan(0);
    expect(soakFolders().filter((name) => !before.includes(name))).toEqual([]);
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow();
  });

  it("ends on Ctrl-C with what it has, also while it measures its memory", { timeout: 300_000 }, async ({ expect }) => {
    // It measures all the time with a ps that takes a second.
    const slow = mkdtempSync(path.join(folder, "slow-"));
    writeFileSync(path.join(slow, "ps"), `#!/bin/sh\nsleep 1\nPATH='${process.env.PATH}' exec ps "$@"\n`, {
      mode: 0o755,
    });
    const env = { PATH: `${slow}${path.delimiter}${process.env.PATH}` };
    const running = command("soak", ["--connections", "4", "--port", String(await freePort())], { env });
    await printed(running, "s left");

    pressCtrlC(running);

    expect(await running.ended).toBe(130);
    expect(running.output()).toContain("Totals: as acknowledged, and as counted from the records");
  });

  it.for([
    [["--minutes", "soon"], "It must be a number of minutes"],
    [["--connections", "0"], "It must be a whole number, 1 or more."],
  ] as const)("says in a line what is wrong with %j", async ([args, words], { expect }) => {
    const running = command("soak", args);

    expect(await running.ended).toBe(1);
    expect(running.output()).toContain(words);
    expect(running.output()).not.toContain("    at ");
  });
});
