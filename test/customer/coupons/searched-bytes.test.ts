import { describe, it } from "vitest";
import { as, mustFeed } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";

// A coupon has 24,000 bytes of lines, so a search looks at 174 coupons.
const COUPONS = 180;
const LINES = Array.from({ length: 20 }, () => "世".repeat(200));

describe("a search in coupons", () => {
  it("looks at 4 MiB of texts, those of the coupons that were first stored", async ({ expect }) => {
    const [account, customer] = [seed.account(), seed.customer()];
    const store = seed.store(account.id);
    const coupons = Array.from({ length: COUPONS }, (_, index) =>
      seed.coupon(account.id, { kind: "digital", name: `No ${index}`, header_lines: LINES, text_lines: LINES }),
    );
    await mustFeed([account, customer, store, seed.membership(store.id, customer.id)]);
    await mustFeed(coupons);
    const find = async (text: string) => {
      const { body } = await as(customer.id).get(`/api/v1/customer/my-coupons?search=${encodeURIComponent(text)}`);
      return body.items?.digital.map(({ coupon }: { coupon: { name: string } }) => coupon.name) ?? [];
    };

    const [inFirst, inLast, inChain] = [
      await find("no 173"),
      await find("no 175"),
      await find(String(account.company)),
    ];

    expect([inFirst, inLast]).toEqual([["No 173"], []]);
    expect(inChain).toHaveLength(50);
  });
});
