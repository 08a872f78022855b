import { beforeAll, describe, it } from "vitest";
import { mustFeed } from "../../support/api.ts";
import { setClock } from "../../support/clock.ts";
import * as seed from "../../support/seed.ts";
import { coupons, holder, issue, myCoupons, program } from "./support.ts";

const NOW = "2026-05-10 12:00:00";
const BEFORE = "2026-05-10 11:59:59";
const AFTER = "2026-05-10 12:00:01";

const ends = (expiration_date: string | null, can_expire = 1) => ({ can_expire, expiration_date });

describe("the end of a coupon", () => {
  beforeAll(() => setClock(NOW));

  it.for([
    ["is never where there is none", null, ends(null), true],
    ["is never where the coupon can expire, but has no date", null, ends(null, 1), true],
    ["is still valid in its own second", NOW, ends(null), true],
    ["is over one second later", BEFORE, ends(null), false],
    ["is to come one second earlier", AFTER, ends(null), true],
    ["is the coupon's where that is the earlier, in its own second", AFTER, ends(NOW), true],
    ["is the coupon's where that is the earlier, one second later", AFTER, ends(BEFORE), false],
    ["is the issued coupon's where that is the earlier, in its own second", NOW, ends(AFTER), true],
    ["is the issued coupon's where that is the earlier, one second later", BEFORE, ends(AFTER), false],
    ["is the coupon's where the issued coupon has none", null, ends(BEFORE), false],
    ["is not the coupon's where that cannot expire", null, ends(BEFORE, 0), true],
    ["is the last second of a date given alone", "2026-05-10", ends("2026-05-10"), true],
    ["was the last second of a date given alone, yesterday", "2026-05-09", ends(null), false],
    ["was the last second of the coupon's date given alone, yesterday", null, ends("2026-05-09"), false],
    ["may lie as far away as a date can be written", "9999-12-31", ends("9999-12-31 23:59:59"), true],
  ] as const)("%s", async ([, expected_end_date, coupon, isValid], { expect }) => {
    const holds = await program();
    const [store, mfg] = await issue(
      holds,
      { coupon, issued: { expected_end_date } },
      { coupon: { ...coupon, kind: "mfg" }, issued: { expected_end_date } },
    );

    expect(await coupons(holds.customer.id)).toEqual(isValid ? { items: [store] } : "NO_ITEMS");
    expect(await coupons(holds.customer.id, { includemfg: true })).toEqual(
      isValid ? { stores: [store], mfg: [mfg] } : "NO_ITEMS",
    );
    expect(await myCoupons(holds.customer.id)).toEqual(
      isValid ? { store: [store], mfg: [mfg], digital: [] } : "NO_ITEMS",
    );
  });

  it.for([
    ["is never where there is none", ends(null), true],
    ["is still valid in its own second", ends(NOW), true],
    ["is over one second later", ends(BEFORE), false],
    ["is to come one second earlier", ends(AFTER), true],
    ["is none where it cannot expire", ends(BEFORE, 0), true],
    ["is the last second of a date given alone", ends("2026-05-10"), true],
    ["was the last second of a date given alone, yesterday", ends("2026-05-09"), false],
  ] as const)("of kind digital %s", async ([, fields, isValid], { expect }) => {
    const { account, customer } = await program();
    const coupon = seed.coupon(account.id, { kind: "digital", ...fields });
    await mustFeed([coupon]);

    expect(await myCoupons(customer.id)).toEqual(isValid ? { store: [], mfg: [], digital: [coupon.id] } : "NO_ITEMS");
  });

  it("moves with the coupon's own, for all that were issued", async ({ expect }) => {
    const { customer, coupon, issued } = await holder(ends(BEFORE));
    expect(await coupons(customer.id)).toBe("NO_ITEMS");

    await mustFeed([{ ...coupon, ...ends(NOW) }]);

    expect(await coupons(customer.id)).toEqual({ items: [issued.id] });
  });
});
