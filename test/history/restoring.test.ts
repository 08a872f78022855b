import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, it } from "vitest";
import { mustFeed, restore } from "../support/api.ts";
import { differences } from "../support/differences.ts";
import { exportPages } from "../support/exporting.ts";
import { freshDatabase } from "../support/fresh-database.ts";
import { rows, value } from "../support/state.ts";
import {
  feedOld,
  IS_EVENT,
  keepMonths,
  linesOf,
  objects,
  seal,
  sealInPart,
  segments,
  setUpHistory,
  shop,
  tearDownHistory,
} from "./support.ts";

// docs/contract/history.md, 2. Events of May and later are kept.
const OLD = "2026-04-30 23:59:59";
const NOW = "2026-06-10 07:00:00";

beforeEach(() => setUpHistory(NOW));
afterEach(tearDownHistory);

/** Exports a program with three old entries; one may be in history. Then replaces the database by an empty one. */
async function exportAndLose({ isSealedInPart }: { isSealedInPart: boolean }) {
  const { lines, earned } = shop();
  const entries = ["1.00", "20.00", "300.00"].map((amount) => earned(amount, OLD));
  await feedOld(...lines, ...entries);
  if (isSealedInPart) await sealInPart(1);
  const pages = (await exportPages()).map(({ body }) => body);
  const copies = await Promise.all(
    (await objects()).map(async (name) => [name, await (await env.TEST_HISTORY.get(name))?.arrayBuffer()] as const),
  );
  await freshDatabase(NOW);
  for (const [name, copy] of copies) await env.TEST_HISTORY.put(name, copy ?? "");
  keepMonths(1);
  return { pages, ids: entries.map(({ id }) => id).sort(), segmentCount: copies.length };
}

/** The ids of all entries, in the database and in segments. */
async function entryIds() {
  const linesInHistory = await Promise.all((await segments()).map(({ name }) => linesOf(name)));
  return [...linesInHistory.flat(), ...(await rows(`SELECT id FROM balance_entries WHERE ${IS_EVENT}`))]
    .map(({ id }) => id)
    .sort();
}

describe("a restore that is sent twice, while the job runs too", () => {
  it.for([
    { sealed: "before it", isSealedInPart: false },
    { sealed: "after a page", isSealedInPart: true },
    { sealed: "after it", isSealedInPart: false },
    { sealed: "after it", isSealedInPart: true },
  ])(
    "loses no event and counts none twice: $sealed, sealed in part: $isSealedInPart",
    async ({ sealed, isSealedInPart }, { expect }) => {
      const { pages, ids, segmentCount } = await exportAndLose({ isSealedInPart });

      if (sealed === "before it") await seal();
      for (const page of pages) {
        expect((await restore(page)).status).toBe(200);
        if (sealed === "after a page") await seal();
      }
      if (sealed === "after it") await seal();
      for (const page of pages) await restore(page);
      await seal();
      const restored = {
        segmentCount: (await segments()).length,
        balance: await value("SELECT max(balance) FROM customers"),
      };
      await mustFeed([]);
      await seal();

      expect(restored).toEqual({ segmentCount, balance: 32_100 });
      expect(segmentCount).toBe(isSealedInPart ? 1 : 0);
      expect(await entryIds()).toEqual(ids);
      expect(await value("SELECT max(balance) FROM customers")).toBe(32_100);
      expect(await value(`SELECT count(*) FROM balance_entries WHERE ${IS_EVENT}`)).toBe(0);
      expect(await differences()).toEqual([]);
    },
  );
});
