import { randomInt } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, it, vi } from "vitest";
import { askDatabase } from "../../scripts/lib/database.ts";
import { FollowedFile } from "../../scripts/lib/followed-file.ts";
import { temporaryFolder } from "./clone.ts";
import { pressCtrlC, type Running, startCommand } from "./command.ts";
import { type Reply, scriptedService } from "./http-server.ts";
import { inProcess } from "./in-process.ts";
import { type Service, startService } from "./service.ts";

const newFile = () => path.join(temporaryFolder(), "changes.ndjson");
const linesIn = (file: string) => readFileSync(file, "utf8").split("\n").slice(0, -1);
const change = (version: number) => ({ version, line: { record: "block", customer_id: "c1", blocked_id: "c2" } });

/** A page of changes with these versions, and with a cursor. */
function page(versions: readonly number[], next: string): Reply {
  return {
    headers: {
      "Content-Type": "application/x-ndjson",
      Link: `<https://its-own-name.example/api/v1/feed/changes?after=${next}>; rel="next"`,
    },
    body: versions.map((version) => `${JSON.stringify(change(version))}\n`).join(""),
  };
}

const textOf = (...versions: number[]) => versions.map((version) => `${JSON.stringify(change(version))}\n`).join("");
const asPage = (versions: readonly number[], next: string) => ({
  bytes: Buffer.from(textOf(...versions)),
  lines: versions.length,
  next,
});

/** Ends a command and its children without a signal that they could handle. */
async function kill(running: Running): Promise<void> {
  process.kill(-Number(running.child.pid), "SIGKILL");
  await running.ended;
}

describe("npm run changes", () => {
  it("appends page after page, and ends at a page that leads to itself", async ({ expect }) => {
    const file = newFile();
    const { args, requests } = await scriptedService(page([1], "a"), page([], "b"), page([5], "c"), page([], "c"));

    const { status, output } = await inProcess("changes", [file, "--after", "first", ...args]);

    expect(status, output).toBe(0);
    expect(output).toBe("2 changes appended.\n");
    expect(readFileSync(file, "utf8")).toBe(textOf(1, 5));
    expect(requests.map(({ url }) => url.search)).toEqual(["?after=first", "?after=a", "?after=b", "?after=c"]);
  });

  it("goes on where it ended, with or without the same --after", async ({ expect }) => {
    const file = newFile();
    const first = await scriptedService(page([1], "a"), page([], "a"));
    const second = await scriptedService(page([2], "b"), page([], "b"));
    const third = await scriptedService(page([3], "c"), page([], "c"));

    await inProcess("changes", [file, "--after", "first", ...first.args]);
    await inProcess("changes", [file, "--after", "first", ...second.args]);
    await inProcess("changes", [file, ...third.args]);

    expect(second.requests[0]?.url.search).toBe("?after=a");
    expect(readFileSync(file, "utf8")).toBe(textOf(1, 2, 3));
  });

  it.for([
    ["a line that is not whole", '{"version": 2, "li'],
    ["a page whose cursor was not stored", textOf(2)],
    ["nothing", ""],
  ])("cuts off %s that a process left when it was ended", async ([, left], { expect }) => {
    const file = newFile();
    const followed = new FollowedFile(file, "first");
    followed.append(asPage([1], "a"));
    followed.close();
    writeFileSync(`${file}.cursor.part`, '{"after":"b"');
    writeFileSync(file, textOf(1) + left);
    const { args, requests } = await scriptedService(page([2], "b"), page([], "b"));

    await inProcess("changes", [file, ...args]);

    expect(requests[0]?.url.search).toBe("?after=a");
    expect(readFileSync(file, "utf8")).toBe(textOf(1, 2));
  });

  it.for<[what: string, arrange: (file: string) => void, says: string]>([
    ["with lines and without a cursor", (file) => writeFileSync(file, textOf(1)), "has lines, but there is no"],
    [
      "that is shorter than its cursor says",
      (file) => writeFileSync(`${file}.cursor`, '{"began":"first","after":"a","length":9}'),
      "is shorter than",
    ],
    ["whose cursor is none", (file) => writeFileSync(`${file}.cursor`, "page"), "has no cursor: name another file."],
    ["that began elsewhere", (file) => new FollowedFile(file, "a").close(), "began after another cursor"],
  ])("takes no file %s", async ([, arrange, says], { expect }) => {
    const file = newFile();
    arrange(file);
    const { args, requests } = await scriptedService();

    const { status, output } = await inProcess("changes", [file, "--after", "first", ...args]);

    expect([status, requests.length]).toEqual([1, 0]);
    expect(output).toContain(says);
  });

  it("ends if another process writes to the file", ({ expect }) => {
    const file = newFile();
    const [one, another] = [new FollowedFile(file, "first"), new FollowedFile(file, "first")];
    one.append(asPage([1], "a"));

    expect(() => another.append(asPage([1], "a"))).toThrow("Another process writes to");
  });

  it.for<[what: string, reply: Reply, says: string]>([
    ["410", { status: 410, body: { errorCode: "START_AGAIN" } }, "npm run export -- EXPORT"],
    ["401", { status: 401, body: { message: "A valid bearer token is needed." } }, "The service answered 401"],
    ["an answer that is no page of changes", { body: { some: "page" } }, "These are no changes: "],
    ["a page that is not whole", { ...page([2], "b"), body: '{"version": 2' }, "These are no changes: "],
  ])("keeps what it has at %s, and says what to do", async ([, reply, says], { expect }) => {
    const file = newFile();
    const { args } = await scriptedService(page([1], "a"), reply);

    const { status, output } = await inProcess("changes", [file, "--after", "first", "--follow", ...args]);

    expect(status).toBe(1);
    expect(output).toContain(says);
    expect(readFileSync(file, "utf8")).toBe(textOf(1));
    expect(JSON.parse(readFileSync(`${file}.cursor`, "utf8"))).toMatchObject({ after: "a" });
  });

  it("waits for more, and for a service that is away, and says so once", async ({ expect }) => {
    const file = newFile();
    const away: Reply = { status: 503, headers: { "Retry-After": "301" }, body: { message: "Away." } };
    const goesOn = [page([1], "a"), page([], "a"), away, away, page([2], "b"), page([], "b"), page([3], "c")];
    const { args, requests } = await scriptedService(...goesOn, { status: 403, body: { message: "Ends the test." } });
    const waits = vi.fn();
    vi.doMock("node:timers/promises", () => ({ setTimeout: async (ms: number) => waits(ms) }));
    vi.resetModules();

    const { output } = await inProcess("changes", [file, "--after", "first", "--follow", ...args]);

    vi.doUnmock("node:timers/promises");
    vi.resetModules();
    expect(readFileSync(file, "utf8")).toBe(textOf(1, 2, 3));
    expect(requests).toHaveLength(8);
    expect(output.match(/Away\. Waiting …/g)).toHaveLength(1);
    expect(output).toContain("The service answers again.");
    expect(Math.max(...waits.mock.calls.map(([ms]) => ms))).toBe(300_000);
  });

  it("prints for -, and where it goes on", async ({ expect }) => {
    const { args } = await scriptedService(page([1], "a"), page([], "a"));

    const printing = startCommand("changes", ["-", "--after", "first", ...args]);

    expect(await printing.ended).toBe(0);
    expect(printing.output()).toBe(`${textOf(1)}The changes go on after a\n`);
  });

  it("ends cleanly on Ctrl-C", async ({ expect }) => {
    const file = newFile();
    const { args, requests } = await scriptedService(page([1], "a"), page([], "a"), page([], "a"));
    const following = startCommand("changes", [file, "--after", "first", "--follow", ...args]);
    await expect.poll(() => requests.length, { timeout: 20_000 }).toBe(2);

    pressCtrlC(following);

    expect(await following.ended).toBe(130);
    expect(following.output()).toBe("1 change appended.\nStopped.\n");
    expect(readFileSync(file, "utf8")).toBe(textOf(1));
  });
});

const COUNT = 100_000;
const KILLS = 8;

describe("a follower of a service", { timeout: 600_000 }, () => {
  const folder = temporaryFolder();
  const database = { env: "production", persistTo: folder };
  let service: Service;
  let access: string[];

  beforeAll(async () => {
    service = await startService(["--persist-to", folder]);
    access = ["--url", service.url];
  });

  /** Writes changes, as customers do. */
  async function write(count: number): Promise<void> {
    const version = "(SELECT version FROM program_state)";
    const line = `json_object('record', 'block', 'customer_id', 'c1', 'blocked_id', 'b' || n)`;
    await askDatabase(
      [
        `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
         INSERT INTO requests (version, at, source, subject, lines, line)
         SELECT ${version} + n, (SELECT now FROM clock), 'customer', 'c1', 1, ${line} FROM numbers`,
        `UPDATE program_state SET version = version + ${count}`,
      ],
      database,
    );
  }

  /** Takes an export, and resolves with the cursor that it prints. */
  async function takeExport(): Promise<string> {
    const { output } = await inProcess("export", [path.join(temporaryFolder(), "e.ndjson"), ...access]);
    return /^The changes go on after (.*)$/m.exec(output)?.[1] ?? "";
  }

  it(`has each of ${COUNT} changes once, however often it is killed`, async ({ expect }) => {
    const file = newFile();
    const args = [file, "--after", await takeExport(), ...access];
    await write(COUNT);
    const size = () => (existsSync(file) ? statSync(file).size : 0);
    const seen: number[] = [];

    for (let kills = 0; kills < KILLS; kills += 1) {
      const before = size();
      const follower = startCommand("changes", args);
      await expect
        .poll(() => size() > before || follower.child.exitCode !== null, { timeout: 60_000, interval: 1 })
        .toBe(true);
      await sleep(randomInt(0, 60));
      await kill(follower);
      seen.push(size());
    }
    const { status, output } = await inProcess("changes", args);

    expect(status, output).toBe(0);
    const versions = linesIn(file).map((line) => JSON.parse(line).version as number);
    const first = versions[0] ?? 0;
    expect(versions).toEqual(Array.from({ length: COUNT }, (_, index) => first + index));
    expect(new Set(seen).size).toBeGreaterThan(KILLS / 2);
  });

  it.for<[what: string, statement: string]>([
    ["the database is replaced", "UPDATE program_state SET database_id = 'another-' || version"],
    [
      "time travel undoes the last changes",
      "DELETE FROM requests WHERE version > (SELECT version - 5 FROM program_state)",
    ],
    ["it was away for too long", "UPDATE program_state SET changes_removed = version"],
  ])("is told if %s, takes an export and goes on", async ([, statement], { expect }) => {
    const [file, newerFile] = [newFile(), newFile()];
    await inProcess("changes", [file, ...access]);
    await write(10);
    await inProcess("changes", [file, ...access]);
    await write(1);
    if (statement.startsWith("DELETE"))
      await askDatabase(
        [
          "DELETE FROM requests WHERE version = (SELECT version FROM program_state)",
          "UPDATE program_state SET version = version - 1",
        ],
        database,
      );
    await askDatabase([statement], database);

    const told = await inProcess("changes", [file, "--follow", ...access]);
    const cursor = await takeExport();
    await write(3);
    const goesOn = await inProcess("changes", [newerFile, "--after", cursor, ...access]);

    expect([told.status, linesIn(file).length]).toEqual([1, 10]);
    expect(told.output).toContain("Take an export");
    expect(goesOn.output).toBe("3 changes appended.\n");
    expect(linesIn(newerFile)).toHaveLength(3);
  });
});
