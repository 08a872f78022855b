import { beforeAll, describe, it, vi } from "vitest";
import { Inboxes } from "../../src/inbox/inboxes.ts";
import { mustFeed } from "../support/api.ts";
import { setClock } from "../support/clock.ts";
import * as seed from "../support/seed.ts";
import { rows } from "../support/state.ts";
import {
  costAtTill,
  counts,
  customer,
  failedChecks,
  foreign,
  foreignStore,
  free,
  hold,
  issue,
  NOW,
  openShop,
  otherStore,
  redeem,
  reverse,
  store,
  version,
} from "./shop.ts";

beforeAll(openShop);

describe("a hold", () => {
  it("reserves a use until its end, which nothing has to free", async ({ expect }) => {
    const issued = await issue({ total_count: 2, reserved: 1 });
    const before = await version();

    const { body } = await hold("h1", issued);

    const held = { id: "h1", customer_coupon_id: issued, store_id: store.id, held_until: "2026-11-28 09:01:00" };
    expect(body.items).toEqual({ ...held, repeated: false });
    expect((await hold("h1", issued, { seconds: 600 })).body.items).toEqual({ ...held, repeated: true });
    expect(await version()).toBe(before);
    expect(await counts(issued)).toEqual([0, 1, 2]);
    await setClock("2026-11-28 09:01:00");
    expect(await counts(issued)).toEqual([0, 1, 2]);
    await setClock("2026-11-28 09:01:01");
    expect(await counts(issued)).toEqual([0, 2, 1]);
    await setClock(NOW);
  });

  it("keeps the use from others, and its own redemption takes it, at any store", async ({ expect }) => {
    const issued = await issue();
    await hold("h2", issued);

    expect(failedChecks(await redeem("other", issued))).toEqual(["a_use_is_free"]);
    expect(failedChecks(await hold("h3", issued))).toEqual(["a_use_is_free"]);
    const taken = await redeem("h2", issued, { store_id: otherStore.id });
    expect(taken.body.items).toMatchObject({ remaining_count: 0, repeated: false });
    expect((await hold("h2", issued)).body.items).toMatchObject({ held_until: "2026-11-28 09:01:00", repeated: true });
    expect((await free("h2")).body.items).toEqual({ freed: false, redeemed: true });
  });

  it("is taken by a redemption that is fed", async ({ expect }) => {
    const issued = await issue({ total_count: 2 });
    await hold("h4", issued);
    await mustFeed([{ record: "redemption", id: "h4", customer_coupon_id: issued, store_id: store.id }]);

    expect(await counts(issued)).toEqual([1, 1, 0]);
  });

  it("ends at most with the coupon", async ({ expect }) => {
    const issued = await issue({ expected_end_date: "2026-11-28 09:00:30" });

    expect((await hold("h5", issued)).body.items.held_until).toBe("2026-11-28 09:00:30");
  });

  it("can be freed, and leaves its id used, even if it arrives later", async ({ expect }) => {
    const issued = await issue();
    await hold("h6", issued);

    expect((await free("h6")).body.items).toEqual({ freed: true, redeemed: false });
    expect((await free("h6")).body.items).toEqual({ freed: true, redeemed: false });
    expect((await free("h7")).body.items).toEqual({ freed: false, redeemed: false });
    expect((await hold("h7", issued)).body.items).toMatchObject({ held_until: NOW, repeated: true });
    expect(await counts(issued)).toEqual([0, 1, 0]);
    expect((await redeem("h7", issued)).status).toBe(200);
  });

  it("of an account or a store that the token does not cover is 403 to free", async ({ expect }) => {
    await hold("h8", await issue());

    expect((await free("h8", { accounts: [foreign.id] })).status).toBe(403);
    expect((await free("h8", { stores: [otherStore.id] })).status).toBe(403);
    expect((await free("h8", { stores: [store.id] })).body.items.freed).toBe(true);
  });

  it("is freed by an id as a till may make it: another is 422", async ({ expect }) => {
    expect((await free("%20x")).body.messages).toEqual({ id: ["must not begin or end with a blank"] });
  });

  it("is one round trip, and writes three rows, and freeing it two (docs/costs.md)", async ({ expect }) => {
    const body = { id: "cost", customer_coupon_id: await issue(), store_id: store.id, seconds: 60 };

    expect(await costAtTill("POST", "/holds", body)).toMatchObject({ roundTrips: 1, rowsWritten: 3 });
    expect(await costAtTill("DELETE", "/holds/cost")).toMatchObject({ roundTrips: 1, rowsWritten: 2 });
  });

  it("has an id that no redemption of another coupon takes", async ({ expect }) => {
    const [issued, other] = [await issue(), await issue()];
    await hold("h9", issued);
    await redeem("r9", other);

    expect((await redeem("h9", other)).status).toBe(409);
    expect((await hold("r9", issued)).status).toBe(409);
    expect((await reverse("h9", "r9")).status).toBe(409);
    expect((await hold("r9", other)).body.items).toMatchObject({ held_until: NOW, repeated: true });
  });

  it("is not made of the id of a reversal by freeing it", async ({ expect }) => {
    const issued = await issue();
    await redeem("r10", issued);
    await reverse("v10", "r10");

    expect((await free("v10")).body.items).toEqual({ freed: false, redeemed: false });
    expect((await hold("v10", issued)).status).toBe(409);
  });

  it("of another account is not described, even if a redemption of its id is of the token's account", async ({
    expect,
  }) => {
    const coupon = seed.coupon(foreign.id);
    const issued = seed.customerCoupon(customer.id, coupon.id, foreignStore.id);
    await mustFeed([coupon, issued]);
    await hold("h11", await issue());
    await mustFeed([{ record: "redemption", id: "h11", customer_coupon_id: issued.id, store_id: foreignStore.id }]);

    const { status, body } = await hold("h11", issued.id, { store_id: foreignStore.id }, { accounts: [foreign.id] });

    expect([status, body.message]).toEqual([409, expect.stringContaining("is taken")]);
  });

  it("notifies the customer, as a redemption does, and a refusal does not", async ({ expect }) => {
    const issued = await issue();
    await rows("DELETE FROM outbox");
    await rows("INSERT INTO listeners (customer_id, until) VALUES (?, '9999-01-01 00:00:00')", customer.id);
    const notify = vi.spyOn(Inboxes.prototype, "notify").mockResolvedValue(undefined as never);
    const heard = async (times: number) => {
      await vi.waitFor(() => expect(notify).toHaveBeenCalledTimes(times));
      await vi.waitFor(async () => expect(await rows("SELECT * FROM outbox")).toEqual([]));
    };

    await hold("h10", issued);
    await heard(1);
    await hold("h10", issued);
    await hold("h11", issued);
    await free("h10");
    await heard(2);
    await redeem("h12", issued);
    await heard(3);
    await reverse("h13", "h12");
    await heard(4);

    expect(new Set(notify.mock.calls.map(([id, { topics }]) => `${id} ${topics}`))).toEqual(
      new Set([`${customer.id} coupons`]),
    );
    await rows("DELETE FROM listeners");
  });
});
