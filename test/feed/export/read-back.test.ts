import { beforeAll, describe, it } from "vitest";
import type * as z from "zod";
import { Account } from "../../../src/accounts/account.ts";
import { LoyaltyOptions } from "../../../src/accounts/loyalty-options.ts";
import { KINDS } from "../../../src/feed/records/index.ts";
import { mustFeed } from "../../support/api.ts";
import { exported } from "../../support/exporting.ts";

type Line = Record<string, unknown> & { record: string };

/** An object with a text of its own in every field. */
const texts = (schema: z.ZodObject, fixed: object) => ({
  ...Object.fromEntries(Object.keys(schema.shape).map((field) => [field, `text of ${field}`])),
  ...fixed,
});

const TIME = "2024-02-29 12:34:56";
const other = (id: string) => ({ record: "customer", id, first_name: "Other", last_name: id });
const place = { address_line_1: "1 Main Street", address_line_2: "Unit 2", city: "Łódź", state: "OK", zip: "73102" };
const [account_id, store_id, customer_id] = ["101", "s", "c"];

/** A record of every kind, whose every field is another than its default. */
const FULL: Readonly<Record<string, Line>> = Object.fromEntries(
  [
    {
      record: "account",
      ...texts(Account, { id: account_id, can_own_accounts: 1, data: false, state_id: 1.5 }),
      loyalty_options: texts(LoyaltyOptions, {
        team_breakdown: { level_1: "5%", level_3: "1%" },
        notify_user_admin: ["a@example.com", "b@example.com"],
      }),
    },
    {
      ...{ record: "store", id: store_id, account_id, name: "Main", latitude: 35, longitude: -97.5164276 },
      ...{ store_image: "https://images.example/s.png", ...place, phone: "+1 555 0100" },
    },
    {
      ...{
        record: "campaign",
        id: "k",
        account_id,
        name: "Double",
        campaign_description: "Twice",
        campaign_image: "i",
      },
      ...{ campaign_start_date: "2024-01-01", campaign_end_date: "2030-12-31", status: 2, store_ids: ["s2", store_id] },
      time_zone: "America/New_York",
      ...{ age_range_type: "range", age_value: 3, min_age: 18, max_age: 99, campaign_type: "x", trigger_type: "Visit" },
      ...{
        reward_type: "Points",
        campaign_require_register: 1,
        cash_tender_multiplier: "2.50",
        trigger_amount: "9.90",
      },
      ...{ non_cash_tender_multiplier: "1.25", allow_cash_tender: true, allow_non_cash_tender: "yes" },
    },
    {
      ...{ record: "customer", id: customer_id, first_name: "Ada", last_name: "Lovelace", scan_id: "42" },
      ...{ date_of_birth: "1815-12-10", ...place, customer_description: 'Quote " and \\ and 🦉', avatar: "a.png" },
    },
    { record: "membership", store_id, customer_id, referrer_id: "c2", joined_at: TIME },
    { record: "registration", campaign_id: "k", customer_id },
    { record: "friendship", customer_id, friend_id: "c3", status: 1 },
    { record: "block", customer_id, blocked_id: "c2" },
    {
      ...{ record: "coupon", id: "q", account_id, kind: "mfg", name: "Free", type: "Free_Item", value: "1.50" },
      ...{ campaign_id: "k", source_campaign_id: "plain", header_lines: ["a", "b"], text_lines: ["c"], can_expire: 1 },
      ...{ expiration_type: "Fixed", expiration_date: "2030-01-01 23:59:59", expiration: "in 2030", once_per_sale: 1 },
      ...{ filter_items: "items", coupon_barcode: "007", is_custom: 1, can_combine_with_other: 1, created_at: TIME },
      time_zone: "Asia/Tokyo",
    },
    {
      ...{ record: "customer_coupon", id: "i", customer_id, campaign_coupon_id: "q", store_id, coupon_id: "plain" },
      ...{ expected_end_date: TIME, creation_method: "Gift", reserved: 1, total_count: 9, usage_count: 3 },
      ...{ created_at: TIME, updated_at: "2024-03-01 00:00:00", deleted_at: "2024-03-02 00:00:00" },
      ...{ expected_end_date: "2024-02-29", time_zone: "Europe/Kyiv" },
    },
    { record: "employee", id: "e", account_id, name: "Babe Ruth", avatar: "b.png" },
    {
      ...{
        record: "eip_campaign",
        id: "p",
        account_id,
        name: "Runs",
        start_date: "2024-01-01",
        end_date: "2024-12-31",
      },
      time_zone: "Pacific/Auckland",
    },
    {
      ...{ record: "message_group", id: "g", initial_customer_id: customer_id, member_ids: ["c2", customer_id, "c3"] },
      ...{ group_image: "g.png", created_at: TIME },
    },
    { record: "message_state", group_id: "g", customer_id: "c2", read_at: TIME, notifications_disabled: 1 },
    { record: "balance_entry", id: "b", customer_id, store_id, amount: "-12.05", campaign_id: "k", created_at: TIME },
    { record: "token_earning", id: "t", store_id, customer_id, level_no: 4, tokens: "0.07", earned_at: TIME },
    {
      ...{ record: "play", id: "y", eip_campaign_id: "p", location_id: store_id, employee_id: "e", runs: "3.50" },
      ...{ hits: 1, doubles: 2, triples: 3, played_at: TIME },
    },
    { record: "message", id: "m", group_id: "g", customer_id: "c2", body: "Line\nand ☕", sent_at: TIME },
  ].map((line) => [line.record, line]),
);

const rest: Line[] = [
  ...["c2", "c3"].map(other),
  { ...FULL.store, id: "s2", record: "store" },
  { record: "membership", store_id, customer_id: "c2" },
];

beforeAll(async () => {
  await mustFeed([...Object.values(FULL), ...rest].sort((one) => (one.customer_id === "c2" ? -1 : 1)));
});

describe("a line of an export", () => {
  it.for(KINDS)("has every field as it was fed: $record", async ({ record, fields, keyFields }, { expect }) => {
    const fed: Record<string, unknown> = FULL[record] ?? {};

    const lines = await exported(record);

    const line = lines.find((one) => keyFields.every((field) => one[field] === fed[field]));
    expect(Object.keys(line ?? {})).toEqual(["record", ...Object.keys(fields.shape)]);
    // The stores of a campaign have no order.
    const sorted = ({ store_ids, ...all }: Record<string, unknown>) => ({ ...all, stores: [store_ids].flat().sort() });
    expect(sorted(line ?? {})).toEqual(sorted(fed));
  });

  it.for(KINDS)("is tried with another value than the default in every field: $record", (kind, { expect }) => {
    const { record: _, ...full }: Record<string, unknown> = FULL[kind.record] ?? {};
    const required = Object.entries(kind.fields.shape).filter(([, field]) => !field.safeParse(undefined).success);
    const parse = (line: object): Record<string, unknown> => kind.fields.parse(line);

    const all = parse(full);
    const least = parse(Object.fromEntries(required.map(([field]) => [field, full[field]])));

    const optional = Object.keys(least).filter((field) => !required.some(([name]) => name === field));
    const same = optional.filter((field) => JSON.stringify(all[field]) === JSON.stringify(least[field]));
    expect(same).toEqual([]);
    expect(Object.keys(full).sort()).toEqual(Object.keys(kind.fields.shape).sort());
  });

  it("has the defaults of what was left out", async ({ expect }) => {
    await mustFeed([
      { record: "account", id: "102", company: "Plain" },
      { record: "campaign", id: "k2", account_id: "102", name: "All", campaign_start_date: "2024-01-01" },
      {
        record: "campaign",
        id: "k3",
        account_id: "102",
        name: "None",
        campaign_start_date: "2024-01-01",
        store_ids: [],
      },
    ]);

    const lines = await exported("account", "campaign");

    const byId = (id: string) => lines.find((one) => one.id === id);
    expect(byId("102")).toMatchObject({ parent_id: null, loyalty_options: null, protected: 0, slug: "" });
    expect(byId("k2")).toMatchObject({ store_ids: "all", status: 1, campaign_end_date: null });
    expect(byId("k3")?.store_ids).toEqual([]);
  });
});
