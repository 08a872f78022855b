import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, it } from "vitest";
import { givenTo, notifiedTo } from "../../scripts/soak/deliveries.ts";
import type { Given } from "../../scripts/soak/open-app.ts";
import type { SoakReport } from "../../scripts/soak/report.ts";
import { removeFolder } from "./clone.ts";
import { command, freePort, pressCtrlC, printed } from "./command.ts";

const folder = mkdtempSync(path.join(tmpdir(), "loyalty-edge-soaked-"));

afterAll(() => removeFolder(folder));

/** What the soak of this port has in the folders of databases: others may soak at the same time. */
const soakFolders = (port: number) =>
  [tmpdir(), "/dev/shm"]
    .filter((place) => existsSync(place))
    .flatMap((place) => readdirSync(place))
    .filter((name) => name.startsWith(`loyalty-edge-soak-${port}-`));

const GROUPS_OF = new Map([["c1", ["g1"]]]);
const SECOND = Date.parse("2026-11-20T09:00:00Z");

/** Acknowledged in the middle of its second, which is the first of the minute unless told. */
const message = (id: string, second = 0) => ({
  id,
  group: "g1",
  sentAt: `2026-11-20 09:00:0${second}`,
  acknowledgedAt: SECOND + second * 1_000 + 500,
});
const given = (text: string, second: number, at = 2_000) => ({
  ...{ group: "g1", message: `Seen at ${text}` },
  ...{ sentAt: `2026-11-20 09:00:0${second}`, at: SECOND + at },
});

describe("what the soak says of an app that follows messages", () => {
  const messages = [message("soak-1-m1"), message("soak-2-m1", 1)];
  const news = { messages, groupsOf: GROUPS_OF };

  it.for([
    ["was given each message", [given("soak-1-m1", 0, 1_200), given("soak-2-m1", 1, 2_300)], [200, 300], []],
    ["was given the last of two", [given("soak-2-m1", 1, 2_300)], [1_300, 300], []],
    ["was given nothing", [], [], [/soak-1-m1 .* did not reach/, /soak-2-m1 .* did not reach/]],
    ["was not given the last", [given("soak-1-m1", 0)], [1_000], [/soak-2-m1 .* did not reach/]],
    ["was given one twice", [given("soak-2-m1", 1), given("soak-2-m1", 1)], [1_000, 0], [/g1 .* given again/]],
    ["was given the last late", [given("soak-1-m1", 0), given("soak-2-m1", 1, 95_000)], [1_000, 93_000], [/took 94 s/]],
    ["was given an old one of a second", [given("soak-1-m1", 1)], [1_000], [/soak-2-m1 .* did not reach/]],
  ] as [string, Given[], number[], RegExp[]][])("who %s", ([, all, took, faults], { expect }) => {
    const deliveries = givenTo([{ customer: "c1", given: all }], news);

    expect(deliveries.took).toEqual(took);
    expect(deliveries.faults).toEqual(faults.map((fault) => expect.stringMatching(fault)));
  });
});

describe("what the soak says of an app that follows changes", () => {
  const news = { messages: [message("soak-1-m1")], groupsOf: GROUPS_OF };

  it.for([
    ["was notified", [400, 1_400], [400], []],
    ["was notified too early", [900], [], [/soak-1-m1 of g1 did not reach c1/]],
    ["was not notified", [], [], [/did not reach c1/]],
    ["was notified late", [95_000], [94_000], [/took 95 s/]],
  ] as [string, number[], number[], RegExp[]][])("that %s", ([, notified, took, faults], { expect }) => {
    const notifiedAt = notified.map((at) => SECOND + at);

    const deliveries = notifiedTo([{ customer: "c1", notifiedAt }], news);

    expect(deliveries.took).toEqual(took);
    expect(deliveries.faults).toEqual(faults.map((fault) => expect.stringMatching(fault)));
  });
});

describe("npm run soak", () => {
  it("loads everything while the primaries stall, finds nothing wrong, and leaves nothing behind", {
    timeout: 600_000,
  }, async ({ expect }) => {
    const [port, json] = [await freePort(), path.join(folder, "report.json")];
    const load = ["--minutes", "0.5", "--connections", "8", "--sockets", "100", "--followers", "10", "--stall", "10"];

    const running = command("soak", [...load, "--port", String(port), "--json", json]);
    const status = await running.ended;

    expect(status, running.output()).toBe(0);
    expect(running.output()).toContain("Totals: as acknowledged, and as counted from the records");
    expect(running.output()).not.toMatch(/goroutine|ERROR/);
    const report = JSON.parse(readFileSync(json, "utf8")) as SoakReport;
    expect(report).toMatchObject({ connections: 8, sockets: 100, followers: 10, seed: 1, errors: {}, differences: [] });
    expect(report).toMatchObject({ live: { outbox: 0, missed: [] }, stalls: { stalls: 1, seconds: 10 } });
    expect(Object.keys(report.endpoints)).toHaveLength(7);
    const arrivals = Object.entries(report.live?.messages ?? {});
    expect(arrivals).toHaveLength(3);
    for (const [follows, { count }] of arrivals) expect({ follows, count }).not.toEqual({ follows, count: 0 });
    expect(report.stalls?.boards.requests).toBeGreaterThan(0);
    expect(Object.keys(report.excused)).not.toContain("messages: 503 UNAVAILABLE");
    expect(report.feed.lines).toBeGreaterThan(0);
    expect(report.memory.end).toBeGreaterThan(0);
    expect(soakFolders(port)).toEqual([]);
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow();
  });

  it("ends on Ctrl-C with what it has, also while it measures its memory", { timeout: 600_000 }, async ({ expect }) => {
    // It measures all the time with a ps that takes a second.
    const slow = mkdtempSync(path.join(folder, "slow-"));
    writeFileSync(path.join(slow, "ps"), `#!/bin/sh\nsleep 1\nPATH='${process.env.PATH}' exec ps "$@"\n`, {
      mode: 0o755,
    });
    const env = { PATH: `${slow}${path.delimiter}${process.env.PATH}` };
    const load = ["--connections", "4", "--sockets", "20", "--followers", "2"];
    const running = command("soak", [...load, "--port", String(await freePort())], { env });
    await printed(running, "s left");

    pressCtrlC(running);

    expect(await running.ended).toBe(130);
    expect(running.output()).toContain("Totals: as acknowledged, and as counted from the records");
    expect(running.output()).not.toMatch(/goroutine|ERROR/);
  });

  it.for([
    [["--minutes", "none"], "It must be a number of minutes"],
    [["--connections", "0"], "It must be a whole number, 1 or more."],
    [["--stall", "31"], "It must be a whole number, 0 to 30."],
    [["--sockets", "2001"], "It must be a whole number, 0 to 2000."],
  ] as const)("says in a line what is wrong with %j", async ([args, words], { expect }) => {
    const running = command("soak", args);

    expect(await running.ended).toBe(1);
    expect(running.output()).toContain(words);
    expect(running.output()).not.toContain("    at ");
  });
});
