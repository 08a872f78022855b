import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, it } from "vitest";
import type { SoakReport } from "../../scripts/soak/report.ts";
import { temporaryFolder } from "./clone.ts";
import { freePort, pressCtrlC, startCommand, untilPrinted } from "./command.ts";

/** The folders of the soak at this port. Another soak may run at the same time. */
const soakFolders = (port: number) =>
  [tmpdir(), "/dev/shm"]
    .filter((parent) => existsSync(parent))
    .flatMap((parent) => readdirSync(parent))
    .filter((name) => name.startsWith(`loyalty-edge-soak-${port}-`));

describe("npm run soak", () => {
  it("sends traffic while the primary stalls, finds nothing wrong, and on Ctrl-C reports and leaves nothing behind", {
    timeout: 600_000,
  }, async ({ expect }) => {
    const [port, json] = [await freePort(), path.join(temporaryFolder(), "report.json")];
    const load = ["--connections", "8", "--stall", "10"];

    const soak = startCommand("soak", [...load, "--port", String(port), "--json", json]);
    await untilPrinted(soak, "s left");
    // The first stall lasts from the tenth second to the twentieth.
    await sleep(25_000);
    pressCtrlC(soak);
    const status = await soak.ended;

    expect(status, soak.output()).toBe(130);
    expect(soak.output()).toContain("Answers and events: the model's. Derived data: as recounted");
    expect(soak.output()).not.toMatch(/goroutine|ERROR/);
    const report = JSON.parse(readFileSync(json, "utf8")) as SoakReport;
    expect(report).toMatchObject({ connections: 8, seed: 1, errors: {}, differences: [] });
    expect(report).toMatchObject({ stalls: { stalls: 1, seconds: 10 } });
    expect(Object.keys(report.endpoints)).toHaveLength(7);
    expect(Object.keys(report.excused)).not.toContain("messages: 503 UNAVAILABLE");
    expect(report.feed.lines).toBeGreaterThan(0);
    expect(report.memory.end).toBeGreaterThan(0);
    expect(soakFolders(port)).toEqual([]);
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow();
  });
});
