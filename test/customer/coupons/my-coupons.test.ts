import { describe, it } from "vitest";
import { mustFeed } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";
import { get, issue, MY_COUPONS, program } from "./support.ts";

describe("GET /my-coupons", () => {
  it("shows a digital coupon whose id an issued coupon has too as itself", async ({ expect }) => {
    const holds = await program();
    const digital = seed.coupon(holds.account.id, { kind: "digital", name: "Digital" });
    await mustFeed([digital]);
    await issue(holds, { coupon: { name: "Issued" }, issued: { id: digital.id } });

    const { items } = (await get(holds.customer.id, MY_COUPONS)).body;

    expect(items.store[0]).toMatchObject({ id: digital.id, name: "Issued" });
    expect(items.digital[0].coupon).toMatchObject({ id: digital.id, name: "Digital" });
  });

  it("brings every record's account, when a page begins in the middle of an account's coupons", async ({ expect }) => {
    const holds = await program();
    const other = { ...(await program()), customer: holds.customer };
    // The first of an account by id is the last of its coupons on the list.
    const ends = [3, 2, 1].map((day) => ({ issued: { expected_end_date: `2999-01-0${day}` } }));
    await issue(holds, ...ends);
    await issue(other, ...ends);

    for (const page of [1, 2, 3, 4, 5, 6]) {
      const [record] = (await get(holds.customer.id, MY_COUPONS, { per_page: 1, page })).body.items.store;
      expect(record.account.id).toBe(record.account_id);
    }
  });
});
