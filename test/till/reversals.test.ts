import { beforeAll, describe, it } from "vitest";
import { setClock } from "../support/clock.ts";
import { exported } from "../support/exporting.ts";
import { value } from "../support/state.ts";
import { costAtTill, failedChecks, foreign, issue, NOW, openShop, redeem, reverse, store } from "./shop.ts";

beforeAll(openShop);

describe("a reversal", () => {
  it("gives the use back once, also after the coupon's end", async ({ expect }) => {
    const issued = await issue({ expected_end_date: "2026-11-28 10:00:00" });
    await redeem("v1", issued);
    await setClock("2026-11-28 11:00:00");

    const { body } = await reverse("w1", "v1");

    const redemption = {
      id: "w1",
      customer_coupon_id: issued,
      store_id: store.id,
      redeemed_at: "2026-11-28 11:00:00",
      reverses: "v1",
    };
    expect(body.items).toEqual({ redemption, remaining_count: 1, repeated: false });
    expect((await reverse("w1", "v1")).body.items).toEqual({ redemption, remaining_count: 1, repeated: true });
    expect(failedChecks(await reverse("w2", "v1"))).toEqual(["not_reversed"]);
    expect(failedChecks(await reverse("w3", "w1"))).toEqual(["redemption_not_a_reversal"]);
    expect((await reverse("w4", "none")).status).toBe(404);
    expect((await reverse("v1", "v1")).status).toBe(409);
    expect((await reverse("w5", "v1", {}, { accounts: [foreign.id] })).status).toBe(403);
    expect(await value("SELECT redeemed FROM customer_coupons WHERE id = ?", issued)).toBe(0);
    await setClock(NOW);
  });

  it("is one round trip, and writes six rows, a repetition none (docs/costs.md)", async ({ expect }) => {
    await redeem("cost", await issue());
    const body = { id: "back", redemption_id: "cost", store_id: store.id };

    expect(await costAtTill("POST", "/reversals", body)).toMatchObject({ roundTrips: 1, rowsWritten: 6 });
    expect(await costAtTill("POST", "/reversals", body)).toMatchObject({ roundTrips: 1, rowsWritten: 0 });
  });

  it("comes after what it reverses in an export", async ({ expect }) => {
    const lines = await exported("redemption");

    const reversed = lines.map(({ reverses }) => reverses !== null);
    expect(reversed).toEqual(reversed.toSorted());
    expect(reversed).toContain(true);
  });
});
