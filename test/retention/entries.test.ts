import { beforeEach, describe, it } from "vitest";
import { as, mustFeed } from "../support/api.ts";
import { nextPage } from "../support/exporting.ts";
import * as seed from "../support/seed.ts";
import {
  addUp,
  entryPages,
  FIRST_KEPT_SECOND,
  goTo,
  LAST_OLD_SECOND,
  setUpRetention,
  shop,
  storedRetention,
} from "./support.ts";

// The list of entries, of which old ones were added up (docs/contract/interface.md, 4.9).

beforeEach(setUpRetention);

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

// retention.property.test.ts compares the items with the model.
describe("the entries of a customer", () => {
  it("end with an item for each account that sums up its old entries, even on pages of one item", async ({
    expect,
  }) => {
    const { lines, customerId, ...of } = twoShops();
    const oldEntries = [of.entry("5.00", LAST_OLD_SECOND), of.entryAtOther("70.00", LAST_OLD_SECOND)];
    await mustFeed([...lines, ...oldEntries, of.entry("1.00", FIRST_KEPT_SECOND)]);
    await addUp();

    const pages = await entryPages(customerId, `${ENTRIES}?limit=1`);

    expect(pages.map((items) => items.map(({ amount }) => amount))).toEqual([[1], [5], [70]]);
  });

  it.for([
    { isSecondMonth: false, title: "must be read from the start if some were added up since the first page" },
    { isSecondMonth: true, title: "must be read from the start if more of a store were added up since the first page" },
  ])("$title", async ({ isSecondMonth }, { expect }) => {
    const { lines, customerId, ...of } = twoShops();
    const entries = [of.entry("1.00", FIRST_KEPT_SECOND), of.entryAtOther("4.00", "2026-06-01 00:00:00")];
    const oldEntries = [of.entry("8.00", LAST_OLD_SECOND), of.entryAtOther("3.00", LAST_OLD_SECOND)];
    await mustFeed([...lines, ...oldEntries, ...entries]);
    if (isSecondMonth) await addUp();
    const next = nextPage(await as(customerId).get(`${ENTRIES}?limit=1`)) ?? "";

    if (isSecondMonth) await goTo("2026-07-10 07:00:00");
    await addUp();
    const { status, body } = await as(customerId).get(next);

    expect([status, body.messages]).toEqual([422, { after: ["old entries were added up meanwhile: start again"] }]);
  });

  it("go on after the first page if only entries of another customer were added up since", async ({ expect }) => {
    const { lines, customerId, otherId, ...of } = twoShops();
    const store = lines.find(({ record }) => record === "store")?.id;
    const foreignEntry = seed.entry(otherId, store, "8.00", { created_at: LAST_OLD_SECOND });
    await mustFeed([
      ...lines,
      foreignEntry,
      of.entry("2.00", FIRST_KEPT_SECOND),
      of.entryAtOther("4.00", "2026-06-01 00:00:00"),
    ]);
    const next = nextPage(await as(customerId).get(`${ENTRIES}?limit=1`)) ?? "";

    await addUp();
    const { body } = await as(customerId).get(next);

    expect(await storedRetention()).toMatchObject({ steps: 1 });
    expect(body.items).toMatchObject([{ amount: 2 }]);
  });

  it("of an account go on after a page that read 1,000 entries of another account", async ({ expect }) => {
    const { lines, customerId, ownAccountId, ...of } = twoShops();
    const otherEntries = Array.from({ length: 1_000 }, () => of.entryAtOther("1.00", "2026-06-01 00:00:00"));
    await mustFeed([...lines, ...otherEntries, of.entry("3.00", FIRST_KEPT_SECOND), of.entry("5.00", LAST_OLD_SECOND)]);
    await addUp();

    const pages = await entryPages(customerId, `${ENTRIES}?account_id=${ownAccountId}`);

    expect(pages.map((items) => items.map(({ amount }) => amount))).toEqual([[], [3, 5]]);
  });
});
