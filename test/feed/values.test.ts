import { describe, it } from "vitest";
import { feed, mustFeed } from "../support/api.ts";
import * as seed from "../support/seed.ts";
import { value } from "../support/state.ts";

const account = seed.account();
const store = seed.store(account.id);
const campaign = seed.campaign(account.id);
const customer = seed.customer();
const entry = seed.entry(customer.id, store.id, "1.00");

const LINES = { account, store, campaign, customer, entry };

describe("POST /feed: values", () => {
  it.for([
    ["account", "id", ["0", "01", "1234567890123456", "a1", 165, "", null, undefined]],
    ["account", "company", [undefined, null, 7, "x".repeat(201), "a\u0000b", "\ud800"]],
    ["account", "slug", [["x"], {}, "x".repeat(2_001), 1e300, 2 ** 60]],
    ["account", "loyalty_options", [[], "x", 1, { team_breakdown: { level_1: 5 } }, { chain_logo: 7 }]],
    ["account", "loyalty_options", [{ term_contents: "x".repeat(65_537) }, { notify_user_admin: [1] }]],
    ["account", "loyalty_options", [{ chain_logo: "x".repeat(262_145) }, { shipping_city: "x".repeat(2_001) }]],
    ["account", "loyalty_options", [{ description: "x".repeat(4_001) }]],
    ["store", "id", ["", "x".repeat(65), 7, null, undefined, "\udfff"]],
    ["store", "name", [undefined, null, "é".repeat(201)]],
    ["store", "latitude", [undefined, null, "35", 90.01, -91, true]],
    ["store", "longitude", [undefined, 180.5, -181]],
    ["store", "zip", [73_000, false, "x".repeat(2_001)]],
    ["campaign", "campaign_start_date", [undefined, "", "2026-02-29", "2026-1-01", "2026-01-01 00:00:00", 2026]],
    ["campaign", "campaign_end_date", ["2026-13-01", "tomorrow"]],
    ["campaign", "campaign_description", ["x".repeat(4_001)]],
    ["campaign", "status", ["1", -1, 1.5, 1_000_000_000, true]],
    ["campaign", "store_ids", ["some", [7], [""], { a: 1 }, Array.from({ length: 20_001 }, () => "s")]],
    ["campaign", "cash_tender_multiplier", [1, "1.234", "1,5", "1e3", "", "1234567890123"]],
    ["campaign", "trigger_amount", ["-", ".5", "5.", "+1"]],
    ["customer", "first_name", [undefined, null, "x".repeat(201)]],
    ["customer", "date_of_birth", ["1990-02-30", "0", ""]],
    ["entry", "amount", [undefined, null, 5, "5.001", "five", "1234567890123.00"]],
    ["entry", "created_at", ["2026-01-32", "2026-01-01T00:00:00", "2026-01-01 24:00:00", "2026-04-31 00:00:00"]],
    ["entry", "campaign_id", ["", 7]],
  ] as const)("names %s.%s for each bad value of it", async ([kind, field, values], { expect }) => {
    const lines = values.map((bad) => ({ ...LINES[kind], [field]: bad }));

    const answer = await feed(lines);

    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body.messages)).toEqual(lines.map((_, index) => `line ${index + 1}.${field}`));
  });

  it("takes each limit itself", async ({ expect }) => {
    const [id, wide] = ["x".repeat(64), "🎉".repeat(200)];
    const options = {
      term_contents: "x".repeat(65_536),
      chain_logo: "x".repeat(262_144),
      description: "x".repeat(4_000),
      team_breakdown: { level_1: "5%" },
    };
    const lines = [
      { ...account, id: "123456789012345", company: wide, slug: "é".repeat(2_000), loyalty_options: options },
      { ...store, id, account_id: "123456789012345", name: wide, latitude: -90, longitude: 180 },
      { ...campaign, id, account_id: "123456789012345", campaign_description: "x".repeat(4_000), status: 999_999_999 },
      { ...customer, id, first_name: "", last_name: wide, date_of_birth: "2024-02-29" },
      { ...entry, id, customer_id: id, store_id: id, amount: "-999999999999.99", created_at: "0001-01-01 23:59:59" },
    ];

    expect((await feed(lines)).body).toEqual({ status: true, items: { accepted: 5, ignored: 0 } });
  });

  it("takes null for a field that is not nullable as its default", async ({ expect }) => {
    await mustFeed([
      { ...account, loyalty_options: { team_breakdown: { level_1: null, level_2: "5%" } } },
      { ...store, city: null },
      { ...campaign, status: null, store_ids: null, cash_tender_multiplier: null, trigger_type: null },
    ]);

    const breakdown = await value("SELECT loyalty_options ->> 'team_breakdown' FROM accounts WHERE id = ?", account.id);
    expect(breakdown).toBe('{"level_2":"5%"}');
    expect(await value("SELECT city FROM stores WHERE id = ?", store.id)).toBe("");
    expect(await value("SELECT status FROM campaigns WHERE id = ?", campaign.id)).toBe(1);
    expect(await value("SELECT listed_stores FROM campaigns WHERE id = ?", campaign.id)).toBeNull();
    expect(JSON.parse(String(await value("SELECT details FROM campaigns WHERE id = ?", campaign.id)))).toEqual({
      age_range_type: "",
      age_value: "",
      min_age: "",
      max_age: "",
      campaign_type: null,
      trigger_type: "None",
      reward_type: "PercentDollarValue",
      campaign_require_register: 0,
      cash_tender_multiplier: "1.00",
      non_cash_tender_multiplier: "1.00",
      allow_cash_tender: 0,
      allow_non_cash_tender: 0,
      trigger_amount: "0.00",
    });
  });

  it("writes decimals with two fraction digits", async ({ expect }) => {
    await mustFeed([account, { ...campaign, cash_tender_multiplier: "2", trigger_amount: "-0.5" }]);

    const details = JSON.parse(String(await value("SELECT details FROM campaigns WHERE id = ?", campaign.id)));

    expect(details).toMatchObject({ cash_tender_multiplier: "2.00", trigger_amount: "-0.50" });
  });

  it("passes fields of no named type through as they are, and fills in those that are left out", async ({ expect }) => {
    const given = {
      slug: 7,
      zip: true,
      data: "x",
      partner_notify: null,
      can_own_accounts: "yes",
      created_at: "yesterday",
    };
    await mustFeed([{ ...account, ...given, unknown: "dropped" }]);

    const fields = JSON.parse(String(await value("SELECT fields FROM accounts WHERE id = ?", account.id)));

    expect(fields).toMatchObject({ id: account.id, company: "Blue Cup", parent_id: null, ...given });
    expect(fields).toMatchObject({
      db_name: null,
      protected: 0,
      include_child_buydowns: 0,
      updated_at: "",
      deleted_at: null,
    });
    expect(fields).not.toHaveProperty("unknown");
    expect(fields).not.toHaveProperty("loyalty_options");
    expect(Object.keys(fields)).toHaveLength(33);
  });

  it("drops the mailer's credentials on the way in", async ({ expect }) => {
    const mailer = Object.fromEntries(
      ["domain", "secret", "endpoint", "username", "password", "from_email", "from_name"].map((name) => [
        `mailer_${name}`,
        "canary",
      ]),
    );

    await mustFeed([{ ...account, loyalty_options: { ...mailer, description: "kept" } }]);

    const options = String(await value("SELECT loyalty_options FROM accounts WHERE id = ?", account.id));
    expect(options).toContain("kept");
    expect(options).not.toMatch(/canary|mailer/);
    expect(JSON.parse(options)).toMatchObject({ team_breakdown: {}, chain_active: 0, notify_user_admin: null, id: "" });
  });

  it("takes bytes that are not UTF-8 for a bad line, and a byte order mark for none", async ({ expect }) => {
    const good = JSON.stringify(seed.customer());
    const bytes = new Uint8Array([...new TextEncoder().encode(`\uFEFF${good}\n`), 0x22, 0xff, 0x22]);

    expect((await feed(new Blob([bytes]))).body.messages).toEqual({ "line 2": ["must be UTF-8"] });
    expect((await feed(`\uFEFF${good}\r\n`)).status).toBe(200);
  });
});
