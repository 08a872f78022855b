import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { findCoupons } from "../../../src/customer/coupons/queries.ts";
import { COUPON_KINDS } from "../../../src/customer/coupons/routes.ts";
import { Database, type Usage } from "../../../src/db/database.ts";
import { mustFeed } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";
import { issue, program } from "./support.ts";

const HELD = 20;

async function holder() {
  const holds = await program({ loyalty_options: {} });
  await issue(
    holds,
    ...Array.from({ length: HELD }, (_, index) => ({ coupon: { kind: index % 2 ? "mfg" : "store" } })),
  );
  const [offer, digital] = [seed.coupon(holds.account.id), seed.coupon(holds.account.id, { kind: "digital" })];
  await mustFeed([offer, digital]);
  return { ...holds, offer };
}

type Holder = Awaited<ReturnType<typeof holder>>;

/** Stores more coupons past the feed, because there are many of them. */
async function store({ offer, store }: Holder, customerId: string, count: number, fields = "'2026-01-01', 0") {
  await env.DB.prepare(
    `WITH RECURSIVE numbers(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < ?)
     INSERT INTO customer_coupons (
       id, customer_key, campaign_coupon_key, store_key, creation_method, reserved, total_count, created_at,
       usage_count, expected_end_date, time_zone, ends_at
     )
     SELECT ? || number, customers.key, coupons.key, stores.key, '', 0, 1, ${fields}, NULL, 'UTC', 'never'
     FROM numbers JOIN customers ON customers.id = ? JOIN coupons ON coupons.id = ? JOIN stores ON stores.id = ?`,
  )
    .bind(count, seed.freshId("bulk-"), customerId, offer.id, store.id)
    .run();
}

async function usageOf(customerId: string, storeIds: string[] = []): Promise<Usage & { rows: number }> {
  const db = new Database(env.DB, "first-unconstrained");
  const { items } = await findCoupons(db, {
    customerId,
    filter: { kinds: COUPON_KINDS, storeIds },
    page: { offset: 0, limit: 50 },
    accounts: { includeImages: false },
  });
  return { ...db.usage, rows: items.length };
}

describe("finding coupons", () => {
  it("reads what the customer holds, however many are issued to others, in one round trip", async ({ expect }) => {
    const holds = await holder();
    const others = seed.customer();
    await mustFeed([others]);
    await store(holds, others.id, 1_000);

    const amongThousand = await usageOf(holds.customer.id);
    await store(holds, others.id, 99_000);
    const amongHundredThousand = await usageOf(holds.customer.id);

    expect(amongThousand).toMatchObject({ rows: HELD + 1, roundTrips: 1, rowsWritten: 0 });
    expect(amongHundredThousand.rowsRead).toBe(amongThousand.rowsRead);
    expect(amongThousand.rowsRead).toBeLessThanOrEqual(13 * (HELD + 1));
  });

  it("passes over what the customer has used up, however much it is", async ({ expect }) => {
    const holds = await holder();
    const before = await usageOf(holds.customer.id);

    await store(holds, holds.customer.id, 1_000, "'2026-01-01', 1");

    expect((await usageOf(holds.customer.id)).rowsRead).toBe(before.rowsRead);
  });

  it("looks up what a coupon says only for those that it answers, however many the customer holds", async ({
    expect,
  }) => {
    const holds = await holder();
    const limit = 1_000;
    const usage = async () => {
      const db = new Database(env.DB, "first-unconstrained");
      const { items } = await findCoupons(db, {
        customerId: holds.customer.id,
        filter: { kinds: ["store"] },
        page: { offset: 0, limit },
        accounts: false,
      });
      return { ...db.usage, rows: items.length };
    };

    await store(holds, holds.customer.id, limit);
    const few = await usage();
    await store(holds, holds.customer.id, 9_000);
    const many = await usage();

    expect(few).toMatchObject({ rows: limit, roundTrips: 1 });
    // What more than 100 items hold is counted before it is read: three rows of the six of an item, once more.
    expect(few.rowsRead).toBeLessThanOrEqual(9 * limit + 5 * HELD);
    expect(many).toMatchObject({ rows: limit, roundTrips: 1 });
    // One that is cut off costs its entry in the index, and its coupon by id: that may end sooner.
    expect(many.rowsRead - few.rowsRead).toBeLessThanOrEqual(3 * 9_000);
  });

  it("asks nothing if the filters leave no kind", async ({ expect }) => {
    const db = new Database(env.DB, "first-unconstrained");
    const page = { offset: 0, limit: 50 };

    const { items } = await findCoupons(db, {
      customerId: "c",
      filter: { kinds: [] },
      page,
      accounts: false,
    });

    expect(items).toEqual([]);
    expect(db.usage.roundTrips).toBe(0);
  });
});
