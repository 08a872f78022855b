import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, it } from "vitest";
import type { Connection } from "../../scripts/soak/app-socket.ts";
import { givenTo, toldOver } from "../../scripts/soak/deliveries.ts";
import type { Given } from "../../scripts/soak/followers.ts";
import type { LiveReport } from "../../scripts/soak/live-report.ts";
import { command, freePort, pressCtrlC, printed } from "./command.ts";

const folder = mkdtempSync(path.join(tmpdir(), "loyalty-edge-soaked-"));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const soakFolders = () =>
  [tmpdir(), "/dev/shm"]
    .filter((place) => existsSync(place))
    .flatMap((place) => readdirSync(place))
    .filter((name) => name.startsWith("loyalty-edge-soak-"));

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
const follower = (...all: Given[]) => ({ name: "poller c1", customer: "c1", given: all, polls: 0, quiet: 0 });
const connection = (helloAt: number, endedAt: number | null, ...messageFramesAt: number[]) => ({
  customer: "c1",
  helloAt: SECOND + helloAt,
  endedAt: endedAt === null ? null : SECOND + endedAt,
  messageFramesAt: messageFramesAt.map((at) => SECOND + at),
});

describe("what the soak says of a follower", () => {
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
    const deliveries = givenTo([follower(...all)], news);

    expect(deliveries.took).toEqual(took);
    expect(deliveries.faults).toEqual(faults.map((fault) => expect.stringMatching(fault)));
  });
});

describe("what the soak says of a socket", () => {
  const news = { messages: [message("soak-1-m1")], groupsOf: GROUPS_OF };

  it.for([
    ["had a frame", connection(0, null, 1_400), [400], []],
    ["had a frame too early", connection(0, null, 900), [], [/did not reach the socket of c1/]],
    ["had none", connection(0, null), [], [/did not reach the socket of c1/]],
    ["had one late", connection(0, null, 95_000), [94_000], [/took 95 s/]],
    ["opened when the message was shown", connection(1_001, null), [], []],
    ["opened before the message was shown", connection(999, null), [], [/did not reach/]],
    ["was dropped before its frame", connection(0, 1_200), [], []],
    ["was dropped long after its frame was due", connection(0, 95_000), [], [/did not reach/]],
  ] as [string, Connection, number[], RegExp[]][])("that %s", ([, one, took, faults], { expect }) => {
    const deliveries = toldOver([one], news);

    expect(deliveries.took).toEqual(took);
    expect(deliveries.faults).toEqual(faults.map((fault) => expect.stringMatching(fault)));
  });
});

describe("npm run soak", () => {
  it("loads every endpoint, the feed and open apps, finds nothing wrong, and leaves nothing behind", {
    timeout: 300_000,
  }, async ({ expect }) => {
    const [port, json, before] = [await freePort(), path.join(folder, "report.json"), soakFolders()];
    const load = ["--minutes", "0.3", "--connections", "8", "--sockets", "100", "--followers", "10"];
    const args = [...load, "--port", String(port), "--json", json];

    const running = command("soak", args);
    const status = await running.ended;

    expect({ status, output: running.output() }).toMatchObject({ status: 0 });
    expect(running.output()).toContain("Totals: as acknowledged, and as counted from the records");
    const report = JSON.parse(readFileSync(json, "utf8"));
    expect(Object.keys(report.endpoints)).toHaveLength(7);
    expect(report).toMatchObject({ connections: 8, sockets: 100, followers: 10, seed: 1, errors: {}, differences: [] });
    expect(report.live).toMatchObject({ outbox: 0, missed: [], sockets: { open: 100 } });
    const { listeners, sockets } = report.live as LiveReport;
    for (const { name, messages } of listeners) expect({ name, messages }).not.toEqual({ name, messages: 0 });
    expect(Math.min(sockets.dropped, sockets.frames.messages, sockets.frames.balance, sockets.pongs)).toBeGreaterThan(
      0,
    );
    expect(report.feed.lines).toBeGreaterThan(0);
    expect(report.memory.end).toBeGreaterThan(0);
    expect(soakFolders().filter((name) => !before.includes(name))).toEqual([]);
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow();
  });

  it("loses no message and answers every cached board while the primaries stall", { timeout: 600_000 }, async ({
    expect,
  }) => {
    const [port, json] = [await freePort(), path.join(folder, "stalls.json")];
    const load = ["--minutes", "0.6", "--connections", "8", "--sockets", "50", "--followers", "5", "--stall", "10"];

    const running = command("soak", [...load, "--port", String(port), "--json", json]);
    const status = await running.ended;

    expect({ status, output: running.output() }).toMatchObject({ status: 0 });
    const { live, stalls, endpoints, excused } = JSON.parse(readFileSync(json, "utf8"));
    expect(live).toMatchObject({ outbox: 0, missed: [] });
    expect(stalls).toMatchObject({ stalls: 1, seconds: 10 });
    expect(stalls.boards.requests).toBeGreaterThan(0);
    expect(Object.keys(endpoints.leaderboard.statuses)).not.toContain("503");
    expect(Object.keys(excused)).toContain("messages: 503 instead of 200");
  });

  it("ends on Ctrl-C with what it has, also while it measures its memory", { timeout: 300_000 }, async ({ expect }) => {
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
  });

  it.for([
    [["--minutes", "soon"], "It must be a number of minutes"],
    [["--connections", "0"], "It must be a whole number, 1 or more."],
    [["--stall", "31"], "It must be a whole number of seconds, 0 to 30."],
    [["--sockets", "2001"], "It must be a whole number, 0 to 2000."],
  ] as const)("says in a line what is wrong with %j", async ([args, words], { expect }) => {
    const running = command("soak", args);

    expect(await running.ended).toBe(1);
    expect(running.output()).toContain(words);
    expect(running.output()).not.toContain("    at ");
  });
});
