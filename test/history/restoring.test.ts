import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, it } from "vitest";
import { exportAll, restoreAll } from "../feed/restore/transfer.ts";
import { mustFeed } from "../support/api.ts";
import { differences } from "../support/differences.ts";
import { freshDatabase } from "../support/fresh-database.ts";
import { rows, value } from "../support/state.ts";
import {
  beginNight,
  endNight,
  IS_EVENT,
  keepMonths,
  linesOf,
  objects,
  seal,
  sealInPart,
  segments,
  shop,
} from "./support.ts";

// Rules of docs/contract/history.md, 2. May and later are kept.
const OLD = "2026-04-30 23:59:59";
const NOW = "2026-06-10 07:00:00";

beforeEach(() => beginNight(NOW));
afterEach(endNight);

/** Exports a program with three old entries, one of which has left or none, and loses its database, but no object. */
async function lose({ isSealedInPart }: { isSealedInPart: boolean }) {
  const { lines, earned } = shop();
  const entries = ["1.00", "20.00", "300.00"].map((amount) => earned(amount, OLD));
  keepMonths(undefined);
  await mustFeed([...lines, ...entries]);
  if (isSealedInPart) await sealInPart(1);
  const pages = await exportAll();
  const copies = await Promise.all(
    (await objects()).map(async (name) => [name, await (await env.TEST_HISTORY.get(name))?.arrayBuffer()] as const),
  );
  await freshDatabase(NOW);
  for (const [name, copy] of copies) await env.TEST_HISTORY.put(name, copy ?? "");
  keepMonths(1);
  return { pages, ids: entries.map(({ id }) => id).sort(), copied: copies.length };
}

/** Every entry, wherever it is. */
async function entryIds() {
  const sealed = await Promise.all((await segments()).map(({ name }) => linesOf(name)));
  return [...sealed.flat(), ...(await rows(`SELECT id FROM balance_entries WHERE ${IS_EVENT}`))]
    .map(({ id }) => id)
    .sort();
}

describe("a restore, sent again, of which a night of the job is a part", () => {
  it.for([
    { night: "before it", isSealedInPart: false },
    { night: "after a page", isSealedInPart: true },
    { night: "after it", isSealedInPart: false },
    { night: "after it", isSealedInPart: true },
  ])("loses no event and counts none twice: $night, sealed in part: $isSealedInPart", async (one, { expect }) => {
    const { pages, ids, copied } = await lose(one);

    if (one.night === "before it") await seal();
    for (const page of pages) {
      await restoreAll([page]);
      if (one.night === "after a page") await seal();
    }
    if (one.night === "after it") await seal();
    await restoreAll(pages);
    await seal();
    const restored = { left: (await segments()).length, balance: await value("SELECT max(balance) FROM customers") };
    await mustFeed([]);
    await seal();

    expect(restored).toEqual({ left: copied, balance: 32_100 });
    expect(copied).toBe(one.isSealedInPart ? 1 : 0);
    expect(await entryIds()).toEqual(ids);
    expect(await value("SELECT max(balance) FROM customers")).toBe(32_100);
    expect(await value(`SELECT count(*) FROM balance_entries WHERE ${IS_EVENT}`)).toBe(0);
    expect(await differences()).toEqual([]);
  });
});
