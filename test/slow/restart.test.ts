import { setTimeout as sleep } from "node:timers/promises";
import { describe, it } from "vitest";
import { call } from "../../scripts/lib/call.ts";
import { askDatabase } from "../../scripts/lib/database.ts";
import { devToken } from "../../scripts/lib/tokens.ts";
import { Random } from "../../scripts/program/random.ts";
import { temporaryFolder } from "./clone.ts";
import { type Running, startCommand } from "./command.ts";
import { customers, fileOf } from "./feeding.ts";
import { inProcess } from "./in-process.ts";
import { type Service, startService } from "./service.ts";

const CUSTOMERS = 300;
const ENTRIES_EACH = 80;
const LINES = [
  JSON.stringify({ record: "account", id: "7", company: "Blue Cup" }),
  JSON.stringify({ record: "store", id: "s", account_id: "7", name: "Main Street", latitude: 35, longitude: 139 }),
  ...customers(CUSTOMERS),
  ...Array.from({ length: CUSTOMERS * ENTRIES_EACH }, (_, index) => {
    const customer_id = `c${1 + (index % CUSTOMERS)}`;
    return JSON.stringify({ record: "balance_entry", id: `b${index}`, store_id: "s", customer_id, amount: "1.00" });
  }),
];

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

describe("a feed whose service is killed and started again", () => {
  it("continues by itself to its end, and every event counts once", async ({ expect }) => {
    const persistTo = temporaryFolder();
    const args = ["--persist-to", persistTo, "--no-demo"];
    let service = await startService(args);

    const feed = startCommand("feed", [fileOf(LINES), "--url", service.url]);
    await firstCommit(service);
    await sleep(new Random("restart").integer(0, 600));
    const isFeeding = feed.child.exitCode === null;
    await kill(service);
    service = await startService(args, service);
    const status = await feed.ended;
    await kill(service);

    expect({ status, isFeeding }, feed.output()).toEqual({ status: 0, isFeeding: true });
    expect(feed.output()).toContain(`${LINES.length.toLocaleString("en")} lines committed`);
    const query = "SELECT balance, count(*) AS customers FROM customers GROUP BY balance";
    const [balances] = await askDatabase([query], { persistTo, env: "production" });
    expect(balances).toEqual([{ balance: ENTRIES_EACH * 100, customers: CUSTOMERS }]);
    const verified = await inProcess("verify-totals", ["--persist-to", persistTo]);
    expect(verified.output).toContain("All derived data agrees with the records.");
  });
});
