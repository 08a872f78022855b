import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, it } from "vitest";
import { devToken } from "../../scripts/lib/tokens.ts";
import { demoLines } from "../../scripts/program/program.ts";
import { Random } from "../../scripts/program/random.ts";
import { KINDS } from "../../src/records/index.ts";
import { temporaryFolder } from "./clone.ts";
import { pressCtrlC, ROOT, startCommand, startProgram, untilPrinted } from "./command.ts";
import { customer, customers, feed, fileOf } from "./feeding.ts";
import { type Reply, scriptedService } from "./http-server.ts";
import { inProcess } from "./in-process.ts";
import { isInstalled } from "./languages.ts";
import { changed } from "./random-changes.ts";
import { type Service, startService } from "./service.ts";

type Line = Record<string, unknown>;

const CHANGED_SHARE = 0.02;
const NEW_CUSTOMER = JSON.stringify({ record: "customer", id: "new", first_name: "Ada", last_name: "L" });
const EVENTS = new Set(KINDS.filter(({ type }) => type === "event").map(({ record }) => record));
const lines = demoLines().map((line) => JSON.stringify(line));
const isEvent = (text: string) => EVENTS.has(JSON.parse(text).record);
const isLeaf = (text: string) => /^(block|friendship|registration|customer_coupon)$/.test(JSON.parse(text).record);
const isFriendship = (text: string) => JSON.parse(text).record === "friendship";
const nameOf = (text: string) => {
  const line = JSON.parse(text) as Line;
  const kind = KINDS.find(({ record }) => record === line.record);
  const key = (kind?.keyFields ?? []).map((field) => line[field]);
  return JSON.stringify([line.record, ...(isFriendship(text) ? key.sort() : key)]);
};

/** The demo program with random changes, and the names of the records that were changed or left out. */
function changedProgram(seed: string, mayChange: (text: string) => boolean) {
  const random = new Random(seed);
  const names: string[] = [];
  const texts = lines.flatMap((text) => {
    if (!mayChange(text) || random.next() > CHANGED_SHARE) return [text];
    const other = isLeaf(text) && random.next() < 0.3 ? null : changed(text, random);
    if (other === null && !isLeaf(text)) return [text];
    names.push(nameOf(text));
    return other === null ? [] : [other];
  });
  return { texts, names: names.sort() };
}

/** What null means in a field that is not nullable: a default, or the time that is stored. */
const IS_DEFAULT = /^$|^[01]$|^\d{4}-\d\d-\d\d /;

/** Whether a value of a file is stored so, perhaps in another spelling. An object of the file may lack fields. */
function isSame(value: unknown, stored: unknown): boolean {
  if (Array.isArray(value)) return JSON.stringify(value.toSorted()) === JSON.stringify([stored].flat().toSorted());
  if (typeof value === "object" && value !== null)
    return Object.entries(value).every(([name, inner]) => isSame(inner, (stored as Line | undefined)?.[name]));
  if (value === stored || (value === null && IS_DEFAULT.test(String(stored)))) return true;
  const isNumeric = typeof value === "string" && value !== "" && Number(value) === Number(stored);
  return isNumeric || String(stored) === `${value} 00:00:00`;
}

let service: Service;
const list = path.join(temporaryFolder(), "differences");
const run = (file: readonly string[], ...args: string[]) =>
  feed(fileOf(file), "--url", service.url, "--list", list, ...args);
/** The names of the records that the last comparison listed. */
const listed = () =>
  readFileSync(list, "utf8")
    .split("\n")
    .filter((text) => text !== "")
    .map(nameOf)
    .sort();

beforeAll(async () => {
  // Each start with the demo program also feeds what happened in these days.
  service = await startService(["--persist-to", temporaryFolder(), "--no-demo"]);
  await feed(fileOf(lines), "--url", service.url);
});

describe("npm run feed -- --compare and --sync", { timeout: 900_000 }, () => {
  it("finds nothing in the program that was fed, in any order of its lines", async ({ expect }) => {
    const { status, output } = await run(lines.toReversed(), "--compare");

    expect(output).toContain("The service has what the file has.");
    expect([status, listed()]).toEqual([0, []]);
  });

  it("lists exactly the records that were changed, sends them, and leaves events", async ({ expect }) => {
    const { texts, names } = changedProgram("states and events", () => true);
    const events = names.filter((name) => EVENTS.has(JSON.parse(name)[0]));

    const compared = await run(texts, "--compare");
    const found = listed();
    const synchronized = await run([...texts, NEW_CUSTOMER], "--sync", "--yes", "--allow-deletes", "100");
    const again = await run([...texts, NEW_CUSTOMER], "--compare");

    expect(names.length).toBeGreaterThan(30);
    expect(events.length).toBeGreaterThan(10);
    expect([compared.status, found]).toEqual([1, names]);
    expect(synchronized.output).toContain(`${events.length} differences are left: an event never changes`);
    expect([synchronized.status, again.status, listed()]).toEqual([1, 1, events]);
  });

  it("makes the states of an export those of the file", async ({ expect }) => {
    const { texts } = changedProgram("states", (text) => !isEvent(text));
    const exported = path.join(temporaryFolder(), "export.ndjson");

    const { status, output } = await run(texts, "--sync", "--yes", "--allow-deletes", "100");
    await inProcess("export", [exported, "--url", service.url]);

    expect(status, output).toBe(0);
    const rows = readFileSync(exported, "utf8")
      .split("\n")
      .filter((text) => text !== "");
    const deletions = new Set(rows.filter((text) => JSON.parse(text).deleted).map(nameOf));
    const live = new Map(rows.map((text) => [nameOf(text), JSON.parse(text) as Line]));
    const states = texts.filter((text) => !isEvent(text));
    const wrong = states.filter((text) => {
      const stored = live.get(nameOf(text));
      // The two customers of a friendship have no order; nameOf compares them.
      const fields = Object.entries(JSON.parse(text)).filter(([name]) => !name.endsWith("_id") || !isFriendship(text));
      return stored === undefined || fields.some(([field, value]) => !isSame(value, stored[field]));
    });
    expect(wrong).toEqual([]);
    const names = new Set(states.map(nameOf));
    const surplus = [...live.keys()].filter(
      (name) => !names.has(name) && !deletions.has(name) && !name.includes("program"),
    );
    expect(surplus.filter((name) => !EVENTS.has(JSON.parse(name)[0]))).toEqual([]);
  });

  it("refuses to delete many records of a kind, or more than it may", async ({ expect }) => {
    const someFriends = lines.filter(isFriendship).slice(0, 3);

    const unasked = await run(someFriends, "--sync", "--yes");
    const tooFew = await run(someFriends, "--sync", "--yes", "--allow-deletes", "0");

    expect([unasked.status, tooFew.status]).toEqual([1, 1]);
    expect(unasked.output).toMatch(
      /of friendship would be deleted, more than 1 %\. Is the file whole\? Nothing was sent\./,
    );
    expect(tooFew.output).toMatch(
      /would be deleted, more than --allow-deletes says\. Nothing was sent\. If all \d+ are to go: --allow-deletes \d+$/m,
    );
  });
});

describe.skipIf(!isInstalled("python3"))("examples/backend/feed.py", { timeout: 300_000 }, () => {
  it("feeds a program whose kinds stand in any order", async ({ expect }) => {
    const byKind = [...Map.groupBy(lines, (text) => JSON.parse(text).record).values()].toReversed().flat();
    const token = await devToken({ scope: "feed", accounts: "*" });
    const script = path.join(ROOT, "examples", "backend", "feed.py");

    const feeding = startProgram("python3", [script, service.url, fileOf(byKind)], {
      env: { LOYALTY_EDGE_TOKEN: token },
    });

    expect(await feeding.ended, feeding.output()).toBe(0);
    expect(feeding.output()).toContain(`${lines.length} lines committed`);
    expect((await run(lines, "--compare", "--only", "store,customer,membership,coupon")).output).toContain(
      "The service has what the file has.",
    );
  });
});

describe("npm run feed -- --sync", () => {
  const EMPTY: Reply = { headers: { "X-Feed-Version": "7" }, body: "" };
  const REFUSES: Reply = { status: 422, body: { messages: { "line 2.id": ["is bad"] } } };

  it("says what was sent when the service refuses a line, and names the line of the file", async ({ expect }) => {
    const { args, requests } = await scriptedService(EMPTY, EMPTY, {}, REFUSES);

    const { status, output } = await feed(fileOf(["", ...customers(2_500)]), "--sync", "--yes", ...args);

    expect(requests.map(({ url }) => url.search)).toEqual(["?record=customer", "?record=program", "", ""]);
    expect(status).toBe(1);
    expect(output).toContain("line 2003.id: is bad");
    expect(output).toContain(
      "2,000 of 2,500 lines sent, 0 of 0 records deleted. What is sent stays: run the same command again.",
    );
  });

  const ENTRY = '{"record":"balance_entry","id":"b1","customer_id":"c1","store_id":"s1","amount":"5"}';
  const ERASURE = '{"record":"customer","id":"c1","deleted":true}';
  const erased = [...customers(1), ENTRY, ERASURE];

  it("sends an empty service all lines of the compared kinds, with the records that the file deletes", async ({
    expect,
  }) => {
    const { args, acceptedRequests } = await scriptedService(...Array(4).fill(EMPTY));
    const file = fileOf(['{"record":"block","customer_id":"c1","blocked_id":"c2"}', ...erased]);

    const { status, output } = await feed(file, "--sync", "--yes", "--only", "customer,balance_entry", ...args);

    expect(status, output).toBe(0);
    expect(acceptedRequests.slice(4)).toEqual([erased.slice(0, 2), erased.slice(2)]);
  });

  it("says what sends a deleted record that an event names", async ({ expect }) => {
    const stored = { headers: { "X-Feed-Version": "7" }, body: `${customer(2)}\n` };
    const refuses = {
      status: 422,
      body: { messages: { "line 1.customer_id": ["names a record that is not stored"] } },
    };
    const { args } = await scriptedService(EMPTY, EMPTY, stored, EMPTY, refuses);

    const { output } = await feed(fileOf([customer(2), ...erased]), "--sync", "--yes", ...args);

    expect(output).toContain("line 3.customer_id: names a record that is not stored");
    expect(output).toContain("npm run feed -- FILE does, for the events that name it.");
  });

  it("finishes the current request on Ctrl-C, and says what was sent", async ({ expect }) => {
    const { promise: after, resolve: answer } = Promise.withResolvers<void>();
    const { args, requests } = await scriptedService(EMPTY, EMPTY, { after });
    const running = startCommand("feed", [fileOf(customers(4_500)), "--sync", "--yes", ...args]);
    await expect.poll(() => requests.length).toBe(3);

    pressCtrlC(running);
    await untilPrinted(running, "Stopping");
    answer();

    expect(await running.ended).toBe(130);
    expect(running.output()).toContain("2,000 of 4,500 lines sent");
    expect(requests).toHaveLength(3);
  });

  const ofAll = { status: 403, body: { message: "An export token is for all accounts." } };
  it.for<[what: string, file: readonly string[], args: string[], replies: Reply[], says: string]>([
    [
      "a bad line",
      [...customers(1), "[]"],
      ["--compare"],
      [],
      "1 bad line: correct the file first. Nothing was compared.",
    ],
    ["a token for some accounts", customers(1), ["--compare"], [ofAll], "403: An export token is for all accounts."],
    ["nobody to ask", customers(1), ["--sync"], [], "There is nobody to ask: give --yes."],
    ["--restore", customers(1), ["--compare", "--restore"], [], "without --check, --restore and --from."],
    [
      "--only without a comparison",
      customers(1),
      ["--only", "customer"],
      [],
      "--only, --accounts and --list go with --compare",
    ],
    [
      "--accounts for customers",
      customers(1),
      ["--compare", "--accounts", "7"],
      [],
      "No record of customer belongs to",
    ],
    ["--yes without --sync", customers(1), ["--compare", "--yes"], [], "--yes and --allow-deletes go with --sync."],
  ])("refuses %s in one line", async ([, file, options, replies, says], { expect }) => {
    const { args, acceptedRequests } = await scriptedService(...replies);

    const { status, output } = await feed(fileOf(file), ...options, ...args);

    expect(status).toBe(1);
    expect(output).toContain(says);
    expect(acceptedRequests).toEqual([]);
  });

  it("refuses standard input, which it cannot read twice", async ({ expect }) => {
    const { args } = await scriptedService();

    expect((await feed("-", "--compare", ...args)).output).toContain("name a file instead of -.");
  });
});
