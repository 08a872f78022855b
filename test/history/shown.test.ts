import { env } from "cloudflare:workers";
import { beforeEach, describe, it } from "vitest";
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
  segments,
  setUpHistory,
  shop,
} from "./support.ts";

// Answers about events that have left the database (docs/contract/interface.md, 4.9; docs/contract/export.md, 1).

beforeEach(setUpHistory);

const ENTRIES = "/api/v1/customer/me/entries";

/** A shop, and a store of another account. */
function twoShops() {
  const { lines, ...of } = shop();
  const otherAccount = seed.account();
  const otherStore = seed.store(otherAccount.id);
  return {
    ...of,
    lines: [...lines, otherAccount, otherStore],
    ownAccountId: String(lines[0]?.id),
    entryAtOther: (amount: string, created_at: string) =>
      seed.entry(of.customerId, otherStore.id, amount, { created_at }),
  };
}

// history.property.test.ts compares the items with the model.
describe("the entries of a customer", () => {
  it("end with an item for each account that sums up its old entries, even on pages of one item", async ({
    expect,
  }) => {
    const { lines, customerId, ...of } = twoShops();
    const oldEntries = [of.entry("5.00", LAST_LEAVING_SECOND), of.entryAtOther("70.00", LAST_LEAVING_SECOND)];
    await feedOld(...lines, ...oldEntries, of.entry("1.00", FIRST_KEPT_SECOND));
    await seal();

    const pages = await entryPages(customerId, `${ENTRIES}?limit=1`);

    expect(pages.map((items) => items.map(({ amount }) => amount))).toEqual([[1], [5], [70]]);
  });

  it.for([
    { isSecondSeal: false, title: "must be read from the start if some have left since the first page" },
    { isSecondSeal: true, title: "must be read from the start if more of a store have left since the first page" },
  ])("$title", async ({ isSecondSeal }, { expect }) => {
    const { lines, customerId, ...of } = twoShops();
    const entries = [of.entry("1.00", FIRST_KEPT_SECOND), of.entryAtOther("4.00", "2026-06-01 00:00:00")];
    const oldEntries = [of.entry("8.00", LAST_LEAVING_SECOND), of.entryAtOther("3.00", LAST_LEAVING_SECOND)];
    await feedOld(...lines, ...oldEntries, ...entries);
    if (isSecondSeal) await seal();
    const next = nextPage(await as(customerId).get(`${ENTRIES}?limit=1`)) ?? "";

    if (isSecondSeal) await goTo("2026-07-10 07:00:00");
    await seal();
    const { status, body } = await as(customerId).get(next);

    expect([status, body.messages]).toEqual([422, { after: ["old entries have left meanwhile: start again"] }]);
  });

  it("go on after the first page if only entries of another customer have left since", async ({ expect }) => {
    const { lines, customerId, otherId, ...of } = twoShops();
    const store = lines.find(({ record }) => record === "store")?.id;
    const foreignEntry = seed.entry(otherId, store, "8.00", { created_at: LAST_LEAVING_SECOND });
    await feedOld(
      ...lines,
      foreignEntry,
      of.entry("2.00", FIRST_KEPT_SECOND),
      of.entryAtOther("4.00", "2026-06-01 00:00:00"),
    );
    const next = nextPage(await as(customerId).get(`${ENTRIES}?limit=1`)) ?? "";

    await seal();
    const { body } = await as(customerId).get(next);

    expect(await segments()).toHaveLength(1);
    expect(body.items).toMatchObject([{ amount: 2 }]);
  });

  it("of an account go on after a page that read 1,000 entries of another account", async ({ expect }) => {
    const { lines, customerId, ownAccountId, ...of } = twoShops();
    const otherEntries = Array.from({ length: 1_000 }, () => of.entryAtOther("1.00", "2026-06-01 00:00:00"));
    await feedOld(
      ...lines,
      ...otherEntries,
      of.entry("3.00", FIRST_KEPT_SECOND),
      of.entry("5.00", LAST_LEAVING_SECOND),
    );
    await seal();

    const pages = await entryPages(customerId, `${ENTRIES}?account_id=${ownAccountId}`);

    expect(pages.map((items) => items.map(({ amount }) => amount))).toEqual([[], [3, 5]]);
  });
});

describe("an export about a customer", () => {
  async function sealTwoSegments() {
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
    const { customerId, eventsInHistory } = await sealTwoSegments();

    const pages = await exportPages(`${EXPORT}?customer_id=${customerId}&record=balance_entry,history_segment`);

    const ids = pages.map(({ body }) => body.map(({ id = "sealed" }: { id?: string }) => id));
    expect(ids.slice(0, 4)).toEqual([["sealed"], [eventsInHistory[0]?.id], [], [eventsInHistory[1]?.id]]);
    const [segment] = await segments();
    const inObject = (await linesOf(segment?.name)).filter(({ customer_id }) => customer_id === customerId);
    expect(pages[1]?.body).toEqual(inObject);
  });

  it("is 503 if an object is gone or history is off, and names the object", async ({ expect }) => {
    const { customerId } = await sealTwoSegments();
    const target = `${EXPORT}?customer_id=${customerId}&record=history_segment`;
    const [segment] = await segments();

    const usualAnswer = await exportPage(target);
    keepMonths(undefined);
    const answerWithoutHistory = await exportPage(target);
    keepMonths(1);
    await env.TEST_HISTORY.delete(String(segment?.name));
    const answerWithoutObject = await exportPage(target);

    const answers = [usualAnswer, answerWithoutHistory, answerWithoutObject];
    expect(answers.map(({ status }) => status)).toEqual([200, 503, 503]);
    expect(answerWithoutObject.body.message).toContain(String(segment?.name));
  });
});
