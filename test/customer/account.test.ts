import { describe, it } from "vitest";
import { mustFeed } from "../support/api.ts";
import * as seed from "../support/seed.ts";
import { snapshot, value } from "../support/state.ts";

const MAILER_FIELDS = ["domain", "secret", "endpoint", "username", "password", "from_email", "from_name"].map(
  (name) => `mailer_${name}`,
);

describe("an account", () => {
  it("is stored without its mailer credentials", async ({ expect }) => {
    const credentials = Object.fromEntries(MAILER_FIELDS.map((field) => [field, `canary-${field}`]));
    const loyalty_options = { ...credentials, chain_display_name: "Cup", mailer_secret: { deep: "canary" } };

    await mustFeed([seed.account({ ...credentials, loyalty_options })]);

    const databaseText = await snapshot();
    expect(databaseText).toContain("Cup");
    expect(databaseText).not.toContain("canary");
  });

  it("fits into a row of D1 with the longest texts that the feed takes", async ({ expect }) => {
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
