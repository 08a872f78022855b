import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, it } from "vitest";
import { call } from "../../scripts/lib/call.ts";
import { askDatabase } from "../../scripts/lib/database.ts";
import { devToken } from "../../scripts/lib/tokens.ts";
import { Random } from "../../scripts/program/random.ts";
import { DERIVED } from "../../src/db/derived/index.ts";
import { ALL_KEYS, findDifferences } from "../../src/db/derived/recount.ts";
import { temporaryFolder } from "./clone.ts";
import { command, type Running } from "./command.ts";
import { type Service, startService } from "./service.ts";

const CUSTOMERS = 300;
const EVENTS = 24_000;

const folder = temporaryFolder();

/** Kills all processes of a service at once, as a failing machine would. */
async function kill({ child, ended }: Running): Promise<void> {
  process.kill(-Number(child.pid), "SIGKILL");
  await ended;
}

/** Resolves once something is committed: a feed that finds no service at its start gives up. */
async function firstCommit({ url }: Service): Promise<void> {
  const token = await devToken({ scope: "export", accounts: "*" });
  const version = async () =>
    (await call(`${url}/api/v1/feed?record=account`, { token })).headers.get("X-Feed-Version");
  while (Number(await version()) === 0) await sleep(20);
}

/** The lines of a program, and the sums of its events, in hundredths: balances by customer, and all tokens. */
function program(random: Random) {
  const ids = Array.from({ length: CUSTOMERS }, (_, index) => `c${String(index).padStart(3, "0")}`);
  const balances = new Map(ids.map((id) => [id, 0]));
  let tokens = 0;
  const records: object[] = [
    { record: "account", id: "7", company: "Blue Cup" },
    { record: "store", id: "s", account_id: "7", name: "Main Street", latitude: 35, longitude: 139 },
    ...ids.map((id) => ({ record: "customer", id, first_name: "Ada", last_name: id })),
    ...ids.map((id) => ({ record: "membership", store_id: "s", customer_id: id })),
  ];
  for (let number = 0; number < EVENTS; number += 2) {
    const customer_id = random.pick(ids);
    const hundredths = random.integer(1, 99_999);
    const amount = (hundredths / 100).toFixed(2);
    const at = { store_id: "s", customer_id };
    records.push({ record: "balance_entry", id: `b${number}`, ...at, amount });
    records.push({ record: "token_earning", id: `t${number}`, ...at, level_no: 1, tokens: amount });
    balances.set(customer_id, (balances.get(customer_id) ?? 0) + hundredths);
    tokens += hundredths;
  }
  return { lines: records.map((record) => JSON.stringify(record)), balances, tokens };
}

describe("a feed whose service is killed and started again", () => {
  it("continues by itself to its end, and every event counts once", { timeout: 300_000 }, async ({ expect }) => {
    const random = new Random("restart");
    const { lines, balances, tokens } = program(random);
    const file = path.join(folder, "program.ndjson");
    writeFileSync(file, lines.join("\n"));
    const args = ["--persist-to", folder, "--no-demo"];
    let service = await startService(args);

    const feed = command("feed", [file, "--url", service.url]);
    await firstCommit(service);
    await sleep(random.integer(0, 600));
    const isFeeding = feed.child.exitCode === null;
    await kill(service);
    service = await startService(args, service);
    const status = await feed.ended;
    await kill(service);

    expect({ status, isFeeding }, feed.output()).toEqual({ status: 0, isFeeding: true });
    expect(feed.output()).toContain(`${lines.length.toLocaleString("en")} lines committed`);
    const where = { persistTo: folder, env: "production" };
    const [stored, sums, ...recounts] = await askDatabase<Record<string, unknown>>(
      [
        "SELECT id, balance FROM customers ORDER BY id",
        `SELECT (SELECT sum(tokens_1) FROM memberships) AS tokens,
          (SELECT count(*) FROM balance_entries) + (SELECT count(*) FROM token_earnings) AS events`,
        ...DERIVED.map((derived) => findDifferences(derived, ALL_KEYS)),
      ],
      where,
    );
    expect(stored).toEqual([...balances].map(([id, balance]) => ({ id, balance })));
    expect(sums).toEqual([{ tokens, events: EVENTS }]);
    expect(recounts.flat()).toEqual([]);
  });
});
