import { describe, expectTypeOf, it } from "vitest";
import type * as z from "zod";
import type { coupon, coupons } from "../../src/records/coupon.ts";
import type { memberships } from "../../src/records/membership.ts";
import type { stores } from "../../src/records/store.ts";

type CouponLine = z.output<typeof coupon.fields>;

describe("the types of a record", () => {
  it("are exact in its rows: lists of values, and what may be NULL", () => {
    expectTypeOf<typeof coupons.$inferSelect.kind>().toEqualTypeOf<"store" | "mfg" | "digital">();
    expectTypeOf<typeof coupons.$inferSelect.campaign_id>().toEqualTypeOf<string | null>();
    expectTypeOf<typeof coupons.$inferSelect.ends_at>().toEqualTypeOf<string>();
    expectTypeOf<typeof memberships.$inferSelect.referrer_key>().toEqualTypeOf<number | null>();
    expectTypeOf<typeof memberships.$inferSelect.store_key>().toEqualTypeOf<number>();
    expectTypeOf<typeof stores.$inferSelect.latitude>().toEqualTypeOf<number>();
  });

  it("are exact in its lines, which name other records by their ids", () => {
    expectTypeOf<CouponLine["account_id"]>().toEqualTypeOf<string>();
    expectTypeOf<CouponLine["campaign_id"]>().toEqualTypeOf<string | null>();
    expectTypeOf<CouponLine["header_lines"]>().toEqualTypeOf<string[]>();
    expectTypeOf<CouponLine>().not.toHaveProperty("account_key");
    expectTypeOf<CouponLine>().not.toHaveProperty("ends_at");
  });
});
