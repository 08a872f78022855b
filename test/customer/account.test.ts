import { describe, it } from "vitest";
import { as, mustFeed } from "../support/api.ts";
import * as seed from "../support/seed.ts";
import { rows, snapshot, value } from "../support/state.ts";

const MAILER_FIELDS = ["domain", "secret", "endpoint", "username", "password", "from_email", "from_name"].map(
  (name) => `mailer_${name}`,
);

describe("an account", () => {
  it("shows no mailer credential in any list, and none is stored", async ({ expect }) => {
    const canaries = Object.fromEntries(MAILER_FIELDS.map((field) => [field, `canary-${field}`]));
    const options = { ...canaries, chain_display_name: "Cup", mailer_secret: { deep: "canary" } };
    const account = seed.account({ ...canaries, loyalty_options: options });
    const [store, customer] = [seed.store(account.id), seed.customer()];
    const [offer, mfg, digital] = ["store", "mfg", "digital"].map((kind) => seed.coupon(account.id, { kind }));
    await mustFeed([account, store, customer, offer ?? "", mfg ?? "", digital ?? ""]);
    await mustFeed([
      seed.membership(store.id, customer.id),
      ...[offer, mfg].map((coupon) => seed.customerCoupon(customer.id, coupon?.id, store.id)),
    ]);

    for (const path of ["coupons?includemfg=true&include_images=true", "my-coupons"]) {
      const { items } = (await as(customer.id).get(`/api/v1/customer/${path}`)).body;
      const shown = Object.values(items).flat() as { account: { loyalty_options: Record<string, unknown> } }[];
      expect(shown.length).toBeGreaterThan(1);
      for (const { account } of shown)
        expect(MAILER_FIELDS.map((field) => account.loyalty_options[field])).toEqual(MAILER_FIELDS.map(() => ""));
      expect(JSON.stringify(items)).not.toContain("canary");
    }
    expect(await rows("SELECT 1 FROM accounts WHERE id = ?", account.id)).toHaveLength(1);
    expect(await snapshot()).not.toContain("canary");
  });

  it("fits into a row of D1, however large the feed takes it", async ({ expect }) => {
    const fields = ["phone", "address", "city", "zip", "data"].map((name) => [name, "\u0001".repeat(2_000)]);
    const loyalty_options = { notify_user_admin: Array.from({ length: 490 }, () => "a".repeat(2_000)) };
    const account = seed.account({ ...Object.fromEntries(fields), loyalty_options });
    await mustFeed([account]);

    const bytes = Number(
      await value("SELECT octet_length(fields) + octet_length(loyalty_options) FROM accounts WHERE id = ?", account.id),
    );

    expect(bytes).toBeGreaterThan(1_000_000);
    expect(bytes).toBeLessThan(1_100_000);
  });
});
