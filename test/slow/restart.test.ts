import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, it } from "vitest";
import { call } from "../../scripts/lib/call.ts";
import { askDatabase } from "../../scripts/lib/database.ts";
import { devToken } from "../../scripts/lib/tokens.ts";
import { Random } from "../../scripts/program/random.ts";
import { DERIVED } from "../../src/db/derived/index.ts";
import { ALL_KEYS, findDifferences } from "../../src/db/derived/recount.ts";
import { removeFolder } from "./clone.ts";
import { command, freePort, printed, type Running } from "./command.ts";

const CUSTOMERS = 300;
const EVENTS = 36_000;
const KILLS = 2;

const folder = mkdtempSync(path.join(tmpdir(), "loyalty-edge-restart-"));
let service: Running | undefined;

afterEach(async () => {
  if (service !== undefined) await kill(service);
  removeFolder(folder);
});

async function start(port: number): Promise<Running> {
  const started = command("start", ["--port", String(port), "--persist-to", folder, "--no-demo"]);
  await printed(started, "Ctrl-C stops it");
  return started;
}

/** Ends a service as a failing machine would: all of its processes at once, in whatever they are doing. */
async function kill({ child, ended }: Running): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) process.kill(-Number(child.pid), "SIGKILL");
  await ended;
}

/** Resolves with the feed version once a request more than these is committed, or the feed has ended. */
async function committedAfter(version: number, port: number, feed: Running): Promise<number> {
  const token = await devToken({ scope: "export", accounts: "*" });
  for (;;) {
    const answer = await call(`http://127.0.0.1:${port}/api/v1/feed?record=account`, { token });
    const now = Number(answer.headers.get("X-Feed-Version"));
    if (now > version || feed.child.exitCode !== null) return now;
    await sleep(20);
  }
}

/** A file whose events come to what is returned with it, by customer. */
function program(random: Random): { lines: string[]; amounts: Map<string, number>; tokens: number; hits: number } {
  const amounts = new Map<string, number>();
  let [tokens, hits] = [0, 0];
  const ids = Array.from({ length: CUSTOMERS }, (_, index) => `c${String(index).padStart(3, "0")}`);
  const records: object[] = [
    { record: "account", id: "7", company: "Blue Cup" },
    { record: "store", id: "s", account_id: "7", name: "Main Street", latitude: 35, longitude: 139 },
    { record: "employee", id: "e", account_id: "7", name: "Noor Aziz" },
    { record: "eip_campaign", id: "k", account_id: "7", name: "League", start_date: "2024-01-01" },
    ...ids.map((id) => ({ record: "customer", id, first_name: "Ada", last_name: id })),
    ...ids.map((id) => ({ record: "membership", store_id: "s", customer_id: id })),
  ];
  for (let number = 0; number < EVENTS; number += 1) {
    const customer = random.pick(ids);
    const hundredths = random.integer(1, 99_999);
    const decimal = (hundredths / 100).toFixed(2);
    const at = { store_id: "s", customer_id: customer };
    if (number % 3 === 0) {
      amounts.set(customer, (amounts.get(customer) ?? 0) + hundredths);
      records.push({ record: "balance_entry", id: `b${number}`, ...at, amount: decimal });
    } else if (number % 3 === 1) {
      tokens += hundredths;
      records.push({ record: "token_earning", id: `t${number}`, ...at, level_no: 1, tokens: decimal });
    } else {
      hits += hundredths;
      const player = { eip_campaign_id: "k", location_id: "s", employee_id: "e" };
      records.push({ record: "play", id: `p${number}`, ...player, hits: hundredths });
    }
  }
  return { lines: records.map((record) => JSON.stringify(record)), amounts, tokens, hits };
}

describe("a feed whose service is killed and started again", () => {
  it("goes on by itself to its end, and every event counts once", { timeout: 300_000 }, async ({ expect }) => {
    const random = new Random("restart");
    const { lines, amounts, tokens, hits } = program(random);
    const file = path.join(folder, "program.ndjson");
    writeFileSync(file, lines.join("\n"));
    const port = await freePort();
    service = await start(port);

    const feed = command("feed", [file, "--url", `http://127.0.0.1:${port}`]);
    let kills = 0;
    for (let version = 0; kills < KILLS; kills += 1) {
      // A feed that waits for the service would not notice that it is there for a moment, and give up.
      version = await committedAfter(version, port, feed);
      await sleep(random.integer(0, 600));
      if (feed.child.exitCode !== null) break;
      await kill(service);
      service = await start(port);
    }
    const status = await feed.ended;
    await kill(service);

    expect({ status, kills, output: feed.output() }).toMatchObject({ status: 0, kills: KILLS });
    expect(feed.output()).toContain(`${lines.length.toLocaleString("en")} lines committed`);
    const where = { persistTo: folder, env: "production" };
    const [balances, sums, ...recounts] = await askDatabase<Record<string, unknown>>(
      [
        "SELECT id, balance FROM customers ORDER BY id",
        `SELECT (SELECT sum(tokens_1) FROM memberships) AS tokens, (SELECT sum(hits) FROM play_totals) AS hits,
          (SELECT count(*) FROM balance_entries) + (SELECT count(*) FROM token_earnings) +
          (SELECT count(*) FROM plays) AS events`,
        ...DERIVED.map((derived) => findDifferences(derived, ALL_KEYS)),
      ],
      where,
    );
    expect(balances).toEqual([...amounts].sort().map(([id, balance]) => ({ id, balance })));
    expect(sums).toEqual([{ tokens, hits, events: EVENTS }]);
    expect(recounts.flat()).toEqual([]);
  });
});
