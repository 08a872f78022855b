import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, it } from "vitest";
import { as } from "../support/api.ts";
import { EXPORT, exportPage, exportPages, nextPage } from "../support/exporting.ts";
import * as seed from "../support/seed.ts";
import {
  entryPages,
  FIRST_KEPT_SECOND,
  feedOld,
  goTo,
  keepMonths,
  LAST_LEAVING_SECOND,
  linesOf,
  seal,
  sealInPart,
  segments,
  setUpHistory,
  shop,
  tearDownHistory,
} from "./support.ts";

// Answers about events that are in history (docs/contract/interface.md, 4.9; docs/contract/export.md, 1).

beforeEach(() => setUpHistory());
afterEach(tearDownHistory);

const ENTRIES = "/api/v1/customer/me/entries";
const EARLIER_SECOND = "2026-01-02 03:04:05";

/** A customer with entries at two stores of one account, and at a store of another. */
function twoShops() {
  const { lines, ...of } = shop();
  const account = seed.account({ id: "999999999999999" });
  const store = seed.store(account.id);
  const own = String(lines[0]?.id);
  const branch = seed.store(own);
  const at = (storeId: string) => (amount: string, created_at: string) =>
    seed.entry(of.customerId, storeId, amount, { created_at });
  const stored = [...lines, account, store, branch];
  return { ...of, lines: stored, own, foreign: account.id, there: at(store.id), nearby: at(branch.id) };
}

describe("the entries of a customer", () => {
  it("end with an item for each account that sums up what has left, so that all items add up to the balance", async ({
    expect,
  }) => {
    const { lines, customerId, own, foreign, ...of } = twoShops();
    const keptEntry = of.entry("1.00", FIRST_KEPT_SECOND);
    const oldEntries = [
      of.entry("5.00", EARLIER_SECOND),
      of.earned("-0.50", LAST_LEAVING_SECOND),
      of.there("70.00", EARLIER_SECOND),
      of.nearby("0.25", EARLIER_SECOND),
    ];
    await feedOld(...lines, ...oldEntries, keptEntry);
    await seal();

    const all = await entryPages(customerId);
    const singleItemPages = await entryPages(customerId, `${ENTRIES}?limit=1`);
    const foreignPages = await entryPages(customerId, `${ENTRIES}?account_id=${foreign}`);
    const me = await as(customerId).get("/api/v1/customer/me");

    const forward = { id: null, description: "", store: null, campaign: null, brought_forward: true };
    const forwarded = [
      { ...forward, amount: 4.75, created_at: LAST_LEAVING_SECOND, account_id: own },
      { ...forward, amount: 70, created_at: EARLIER_SECOND, account_id: foreign },
    ];
    expect(all).toEqual([[expect.objectContaining({ id: keptEntry.id, brought_forward: false }), ...forwarded]]);
    expect(singleItemPages).toEqual(all.flat().map((item) => [item]));
    expect(foreignPages).toEqual([forwarded.slice(1)]);
    expect(me.body.items.balances).toMatchObject([{ balance: 5.75 }, { balance: 70 }]);
  });

  it("are brought forward with the time of the newest that has left, even if an older one left after it", async ({
    expect,
  }) => {
    const { lines, customerId, entry } = shop();
    // Events leave in the order of their ids.
    await feedOld(
      ...lines,
      entry("5.00", LAST_LEAVING_SECOND, { id: "a" }),
      entry("1.00", EARLIER_SECOND, { id: "b" }),
    );

    await sealInPart(6);

    expect(await segments()).toMatchObject([{ newest: LAST_LEAVING_SECOND }, { newest: EARLIER_SECOND }]);
    expect(await entryPages(customerId)).toMatchObject([[{ amount: 6, created_at: LAST_LEAVING_SECOND }]]);
  });

  it.for([
    ["must be read from the start if some have left meanwhile", "once, after the page", 422],
    ["must be read from the start if more have left meanwhile, of the same store", "before and after the page", 422],
    ["go on if only entries of another customer have left", "once, of another customer", 200],
  ] as const)("%s", async ([, sealed, status], { expect }) => {
    const { lines, customerId, otherId, ...of } = twoShops();
    const store = lines.find(({ record }) => record === "store")?.id;
    const [firstOfMay, secondOfMay] = ["2026-05-01 00:00:00", "2026-05-02 00:00:00"];
    const entries = [
      of.entry("1.00", firstOfMay),
      of.entry("2.00", secondOfMay),
      of.there("4.00", "2026-06-01 00:00:00"),
    ];
    const old =
      sealed === "once, of another customer"
        ? seed.entry(otherId, store, "8.00", { created_at: LAST_LEAVING_SECOND })
        : of.entry("8.00", LAST_LEAVING_SECOND);
    await feedOld(...lines, old, ...entries);
    if (sealed === "before and after the page") await seal();
    const next = nextPage(await as(customerId).get(`${ENTRIES}?limit=1`)) ?? "";

    if (sealed === "before and after the page") await goTo("2026-07-10 07:00:00");
    await seal();

    expect(await segments()).toHaveLength(sealed === "before and after the page" ? 2 : 1);
    const { body, ...answer } = await as(customerId).get(next);
    expect(answer.status).toBe(status);
    if (status === 422) expect(body.messages).toEqual({ after: ["old entries have left meanwhile: start again"] });
    else expect(body.items.map(({ amount }: { amount: number }) => amount)).toEqual([2]);
  });

  it("of an account go on after a page that read 1,000 entries of another account", async ({ expect }) => {
    const { lines, customerId, own, ...of } = twoShops();
    const others = Array.from({ length: 1_000 }, () => of.there("1.00", "2026-06-01 00:00:00"));
    await feedOld(...lines, ...others, of.entry("3.00", FIRST_KEPT_SECOND), of.entry("5.00", LAST_LEAVING_SECOND));
    await seal();

    const pages = await entryPages(customerId, `${ENTRIES}?account_id=${own}`);

    expect(pages.map((items) => items.map(({ amount }) => amount))).toEqual([[], [3, 5]]);
  });
});

describe("an export about a customer", () => {
  async function twoSegments() {
    const { lines, customerId, otherId, ...of } = twoShops();
    const store = lines.find(({ record }) => record === "store")?.id;
    const eventsInHistory = [of.entry("5.00", LAST_LEAVING_SECOND), of.earning("2.00", LAST_LEAVING_SECOND)];
    await feedOld(
      ...lines,
      ...eventsInHistory,
      of.play("2", LAST_LEAVING_SECOND),
      seed.entry(otherId, store, "1.00", { created_at: LAST_LEAVING_SECOND }),
    );
    await seal();
    return { customerId, eventsInHistory };
  }

  it("ends with the customer's lines in the objects of history, one segment a page", async ({ expect }) => {
    const { customerId, eventsInHistory } = await twoSegments();

    const pages = await exportPages(`${EXPORT}?customer_id=${customerId}&record=balance_entry,history_segment`);

    const ids = pages.map(({ body }) => body.map(({ id = "sealed" }: { id?: string }) => id));
    expect(ids.slice(0, 4)).toEqual([["sealed"], [eventsInHistory[0]?.id], [], [eventsInHistory[1]?.id]]);
    const [segment] = await segments();
    const inObject = (await linesOf(segment?.name)).filter(({ customer_id }) => customer_id === customerId);
    expect(pages[1]?.body).toEqual(inObject);
  });

  it("is 503 if an object is gone or history is off, and names the object", async ({ expect }) => {
    const { customerId } = await twoSegments();
    const target = `${EXPORT}?customer_id=${customerId}&record=history_segment`;
    const [segment] = await segments();

    const read = await exportPage(target);
    keepMonths(undefined);
    const off = await exportPage(target);
    keepMonths(1);
    await env.TEST_HISTORY.delete(String(segment?.name));
    const gone = await exportPage(target);

    expect([read.status, off.status, gone.status]).toEqual([200, 503, 503]);
    expect(gone.body.message).toContain(String(segment?.name));
  });
});
