import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { findCoupons } from "../../../src/customer/coupons/queries.ts";
import { COUPON_KINDS, type CouponKind } from "../../../src/customer/coupons/schema.ts";
import { BEGINNING, type CouponListQuery } from "../../../src/customer/coupons/valid-coupons.ts";
import { Database } from "../../../src/db/database.ts";
import { ANSWER_BYTES } from "../../../src/http/limits.ts";
import { LOGO_LIMIT, SHORT_TEXT_LIMIT, utf8Bytes } from "../../../src/values/text.ts";
import { mustFeed } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";

const COUPONS_HELD = 20;
/** A text of control characters, which take six bytes each as JSON. */
const longText = (length: number) => "\u0001".repeat(length);
const arrayOf = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));
const LINES = arrayOf(20, () => longText(200));
const WORDY = { header_lines: LINES, text_lines: LINES };

interface Options {
  limit?: number;
  offset?: number;
  storeIds?: readonly string[];
  accounts?: CouponListQuery["accounts"];
}

/** The customer's coupons of these kinds, and what reading them cost at D1. */
async function find(
  customerId: string,
  kinds: readonly CouponKind[],
  { limit = 50, offset = 0, storeIds = [], accounts = { includeImages: false } }: Options = {},
) {
  const db = new Database(env.DB, "first-unconstrained");
  const page = { offset, limit, after: BEGINNING, isFirst: offset === 0 };
  const found = await findCoupons(db, { customerId, filter: { kinds, storeIds }, page, accounts });
  return { ...found, ...db.usage, count: Math.min(limit, found.items.length) };
}

/** A customer who holds coupons of a chain. The chain also has a digital coupon, and an offer that nobody holds. */
async function seedHolder() {
  const account = seed.account({ loyalty_options: {} });
  const [store, customer] = [seed.store(account.id), seed.customer()];
  const held = arrayOf(COUPONS_HELD, (index) => seed.coupon(account.id, { kind: index % 2 ? "mfg" : "store" }));
  const [offer, digital] = [seed.coupon(account.id), seed.coupon(account.id, { kind: "digital" })];
  await mustFeed([account, store, customer, seed.membership(store.id, customer.id), ...held, offer, digital]);
  await mustFeed(held.map(({ id }) => seed.customerCoupon(customer.id, id, store.id)));
  return { id: customer.id, offer, store };
}

/** Issues the offer many times by SQL, because the feed would take too long. */
async function issue(
  { offer, store }: Awaited<ReturnType<typeof seedHolder>>,
  customerId: string,
  count: number,
  { usageCount = 0, deleted = 0 } = {},
) {
  await env.DB.prepare(
    `WITH RECURSIVE numbers(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < ?)
     INSERT INTO customer_coupons (
       id, customer_key, campaign_coupon_key, store_key, kind, creation_method, reserved, total_count, created_at,
       usage_count, deleted, expected_end_date, time_zone, ends_at
     )
     SELECT ? || number, customers.key, coupons.key, stores.key, kind, '', 0, 1, '2026-01-01', ?, ?, NULL, 'UTC', 'never'
     FROM numbers JOIN customers ON customers.id = ? JOIN coupons ON coupons.id = ? JOIN stores ON stores.id = ?`,
  )
    .bind(count, seed.freshId("bulk-"), usageCount, deleted, customerId, offer.id, store.id)
    .run();
}

describe("finding coupons", () => {
  it("reads the customer's coupons, not those of others, in one round trip", async ({ expect }) => {
    const holder = await seedHolder();
    const otherCustomer = seed.customer();
    await mustFeed([otherCustomer]);
    await issue(holder, otherCustomer.id, 1_000);

    const amongThousand = await find(holder.id, COUPON_KINDS);
    await issue(holder, otherCustomer.id, 99_000);
    const amongHundredThousand = await find(holder.id, COUPON_KINDS);

    expect(amongThousand).toMatchObject({ count: COUPONS_HELD + 1, roundTrips: 1, rowsWritten: 0 });
    expect(amongHundredThousand.rowsRead).toBe(amongThousand.rowsRead);
    expect(amongThousand.rowsRead).toBeLessThanOrEqual(16 * (COUPONS_HELD + 1));
  });

  it.for([
    { what: "used up", count: 1_000, columns: { usageCount: 1 } },
    { what: "deleted", count: 100_000, columns: { deleted: 1 } },
  ])("reads no row of a customer's coupons that are $what", async ({ count, columns }, { expect }) => {
    const holder = await seedHolder();
    const usageBefore = await find(holder.id, COUPON_KINDS);

    await issue(holder, holder.id, count, columns);

    expect((await find(holder.id, COUPON_KINDS)).rowsRead).toBe(usageBefore.rowsRead);
  });

  it("reads the text of the coupons in the answer, not of all that the customer holds", async ({ expect }) => {
    const holder = await seedHolder();
    const limit = 1_000;
    const findSimple = () => find(holder.id, ["store"], { limit, accounts: null });

    await issue(holder, holder.id, limit);
    const few = await findSimple();
    await issue(holder, holder.id, 9_000);
    const all = await findSimple();

    expect(few).toMatchObject({ count: limit, roundTrips: 1 });
    // Six rows an item, and three more to count its bytes first, because there are more than 100 items.
    expect(few.rowsRead).toBeLessThanOrEqual(9 * limit + 5 * COUPONS_HELD);
    expect(all).toMatchObject({ count: limit, roundTrips: 1 });
    // A coupon beyond the limit costs its index entry, and the row of the campaign coupon, which may end earlier.
    expect(all.rowsRead - few.rowsRead).toBeLessThanOrEqual(3 * 9_000);
  });

  it("lists and looks at the first 5,000 of a kind, and at others once these have ended", async ({ expect }) => {
    const holder = await seedHolder();
    const otherStore = seed.store(holder.store.account_id);
    const oldest = seed.customerCoupon(holder.id, holder.offer.id, otherStore.id, {
      created_at: "2020-01-01 00:00:00",
    });
    await mustFeed([otherStore, oldest]);
    await issue(holder, holder.id, 5_000);
    const countOldest = async () => (await find(holder.id, COUPON_KINDS, { storeIds: [otherStore.id] })).items.length;

    const lastPage = await find(holder.id, ["store"], { offset: 4_990 });
    const foundBefore = await countOldest();
    await env.DB.prepare("UPDATE customer_coupons SET ends_at = '2020' WHERE id LIKE 'bulk-%'").run();

    expect([lastPage.count, foundBefore, await countOldest()]).toEqual([10, 1, 2]);
  });

  it("sends nothing to D1 if the filters leave no kind", async ({ expect }) => {
    expect(await find("c", [])).toMatchObject({ items: [], roundTrips: 0 });
  });

  it("reads the text of a coupon once, however often it was issued", async ({ expect }) => {
    const holder = await seedHolder();
    await issue(holder, holder.id, 40);

    const { coupons, accounts, count } = await find(holder.id, ["store"]);

    expect([coupons.size, accounts.size, count]).toEqual([COUPONS_HELD / 2 + 1, 1, 50]);
  });
});

interface LongList extends Options {
  what: string;
  kind: CouponKind;
  count: number;
  /** Whether each item has a coupon of its own. */
  hasOwnCoupon?: boolean;
  account?: Record<string, unknown>;
  coupon?: Record<string, unknown>;
  issuedCoupon?: Record<string, unknown>;
  store?: Record<string, unknown>;
}

// The items of each list are long for a different reason.
const LONG_LISTS: readonly LongList[] = [
  { what: "coupons of long texts", kind: "digital", count: 60, hasOwnCoupon: true, coupon: WORDY },
  {
    what: "one long logo in each item",
    kind: "store",
    count: 99,
    account: { loyalty_options: { chain_logo: "x".repeat(LOGO_LIMIT) } },
    accounts: { includeImages: true },
  },
  { what: "one long coupon in each item", kind: "mfg", count: 99, coupon: WORDY },
  {
    what: "long texts of the issued coupons",
    kind: "store",
    count: 600,
    issuedCoupon: { creation_method: longText(SHORT_TEXT_LIMIT), coupon_id: longText(SHORT_TEXT_LIMIT) },
    store: { store_image: longText(SHORT_TEXT_LIMIT) },
    accounts: null,
  },
];

describe("a list that is too long for one answer", () => {
  it.for(LONG_LISTS)("is read only until it fills an answer: $what", async (list, { expect }) => {
    const { kind, count, hasOwnCoupon = false, accounts, issuedCoupon } = list;
    const account = seed.account(list.account);
    const [store, customer] = [seed.store(account.id, list.store), seed.customer()];
    const coupons = arrayOf(hasOwnCoupon ? count : 1, () => seed.coupon(account.id, { ...list.coupon, kind }));
    await mustFeed([account, store, customer, seed.membership(store.id, customer.id), ...coupons]);
    if (kind !== "digital")
      await mustFeed(arrayOf(count, () => seed.customerCoupon(customer.id, coupons[0]?.id, store.id, issuedCoupon)));

    const found = await find(customer.id, [kind], { limit: 1_000, ...(accounts !== undefined && { accounts }) });

    const bytesOf = (items: typeof found.items) => {
      const texts = items.flatMap((item) => [
        item.record,
        found.coupons.get(item.key),
        found.accounts.get(item.account_key),
      ]);
      return texts.reduce((sum, text) => sum + utf8Bytes(text ?? ""), 0);
    };
    // The last item but one fills the answer. The last says that more follow.
    expect(bytesOf(found.items.slice(0, -1))).toBeGreaterThan(ANSWER_BYTES);
    expect(bytesOf(found.items.slice(0, -2))).toBeLessThan(1.03 * ANSWER_BYTES);
    expect(found.coupons.size).toBe(hasOwnCoupon ? found.count : 1);
  });
});
