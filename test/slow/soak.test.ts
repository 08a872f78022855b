import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, it } from "vitest";
import type { SoakReport } from "../../scripts/soak/report.ts";
import { temporaryFolder } from "./clone.ts";
import { command, freePort, pressCtrlC, printed } from "./command.ts";

/** The folders of the soak at this port. Another soak may run at the same time. */
const soakFolders = (port: number) =>
  [tmpdir(), "/dev/shm"]
    .filter((place) => existsSync(place))
    .flatMap((place) => readdirSync(place))
    .filter((name) => name.startsWith(`loyalty-edge-soak-${port}-`));

describe("npm run soak", () => {
  it("sends traffic while primaries stall, finds nothing wrong, and leaves nothing behind", {
    timeout: 600_000,
  }, async ({ expect }) => {
    const [port, json] = [await freePort(), path.join(temporaryFolder(), "report.json")];
    const load = ["--minutes", "0.5", "--connections", "8", "--stall", "10"];

    const running = command("soak", [...load, "--port", String(port), "--json", json]);
    const status = await running.ended;

    expect(status, running.output()).toBe(0);
    expect(running.output()).toContain("Answers and events: the model's. Derived data: as recounted");
    expect(running.output()).not.toMatch(/goroutine|ERROR/);
    const report = JSON.parse(readFileSync(json, "utf8")) as SoakReport;
    expect(report).toMatchObject({ connections: 8, seed: 1, errors: {}, differences: [] });
    expect(report).toMatchObject({ stalls: { stalls: 1, seconds: 10 } });
    expect(Object.keys(report.endpoints)).toHaveLength(7);
    expect(report.stalls?.boards.requests).toBeGreaterThan(0);
    expect(Object.keys(report.excused)).not.toContain("messages: 503 UNAVAILABLE");
    expect(report.feed.lines).toBeGreaterThan(0);
    expect(report.memory.end).toBeGreaterThan(0);
    expect(soakFolders(port)).toEqual([]);
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow();
  });

  it("reports what it has on Ctrl-C, also while it measures its memory", { timeout: 600_000 }, async ({ expect }) => {
    // With a slow ps, the soak always measures its memory.
    const slow = temporaryFolder();
    writeFileSync(path.join(slow, "ps"), `#!/bin/sh\nsleep 1\nPATH='${process.env.PATH}' exec ps "$@"\n`, {
      mode: 0o755,
    });
    const env = { PATH: `${slow}${path.delimiter}${process.env.PATH}` };
    const load = ["--connections", "4"];
    const running = command("soak", [...load, "--port", String(await freePort())], { env });
    await printed(running, "s left");

    pressCtrlC(running);

    expect(await running.ended).toBe(130);
    expect(running.output()).toContain("Answers and events: the model's. Derived data: as recounted");
    expect(running.output()).not.toMatch(/goroutine|ERROR/);
  });
});
