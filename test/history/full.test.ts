import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, it } from "vitest";
import { ndjson } from "../support/api.ts";
import { adds, databaseThrough } from "../support/databases.ts";
import { differences } from "../support/differences.ts";
import * as seed from "../support/seed.ts";
import { sendTo } from "../support/stalling.ts";
import { value } from "../support/state.ts";
import { feedToken } from "../support/tokens.ts";
import { setVariables } from "../support/variables.ts";
import { beginNight, endNight, goTo, IS_EVENT, keepMonths, seal } from "./support.ts";

const { DB } = env;

beforeEach(() => beginNight("2026-01-01 07:00:00"));
afterEach(() => {
  setVariables({ DB });
  endNight();
});

/** The tests' database, which takes nothing more once it has this size. */
function databaseOf(limit: number): D1Database {
  let size = 0;
  return databaseThrough(async (batch) => {
    if (size >= limit && adds(batch)) throw new Error("D1_ERROR: Exceeded maximum DB size");
    const results = await batch.send();
    size = Math.max(size, ...results.map(({ meta }) => meta.size_after));
    return results;
  });
}

const ENTRIES_A_MONTH = 1_500;
const BYTES_AN_ENTRY = 140;

/** How many of ten months' feeds a database of so many months' size takes. */
async function monthsTaken(monthsOfSize: number): Promise<number> {
  const account = seed.account();
  const store = seed.store(account.id);
  const customers = Array.from({ length: 20 }, () => seed.customer());
  const feedTo = async (lines: readonly Record<string, unknown>[]) => {
    const headers = { Authorization: `Bearer ${await feedToken("*")}` };
    return (await sendTo({}, "/api/v1/feed", { method: "POST", headers, body: ndjson(lines) })).status;
  };
  await feedTo([account, store, ...customers]);
  const empty = Number((await DB.prepare("SELECT 1").run()).meta.size_after);
  setVariables({ DB: databaseOf(empty + monthsOfSize * ENTRIES_A_MONTH * BYTES_AN_ENTRY) });
  for (let month = 1; month <= 10; month += 1) {
    await goTo(`2026-${String(month).padStart(2, "0")}-02 07:00:00`);
    await seal();
    const entries = Array.from({ length: ENTRIES_A_MONTH }, (_, index) =>
      seed.entry(customers[index % 20]?.id, store.id, "1.00", { id: crypto.randomUUID() }),
    );
    if ((await feedTo(entries)) !== 200) return month - 1;
  }
  return 10;
}

describe("a database of a small size", () => {
  it("is full after some months without history", async ({ expect }) => {
    keepMonths(undefined);

    expect(await monthsTaken(4)).toBeLessThan(7);
  });

  it("goes on taking feeds with history", async ({ expect }) => {
    expect(await monthsTaken(4)).toBe(10);

    expect(await value(`SELECT count(*) FROM balance_entries WHERE ${IS_EVENT}`)).toBe(2 * ENTRIES_A_MONTH);
    expect(await value("SELECT sum(lines) FROM history_segments")).toBe(8 * ENTRIES_A_MONTH);
    setVariables({ DB });
    expect(await differences()).toEqual([]);
  });
});
