import { beforeAll, describe, it } from "vitest";
import { feed, mustFeed } from "../../support/api.ts";
import { setClock } from "../../support/clock.ts";
import { createPublicViews } from "../../support/public-views.ts";
import * as seed from "../../support/seed.ts";
import { rows } from "../../support/state.ts";

beforeAll(createPublicViews);

async function stored(id: unknown) {
  const [row] = await rows("SELECT * FROM public_coupons WHERE id = ?", id);
  return { ...row, ...JSON.parse(String(row?.text)) };
}

async function chain() {
  const account = seed.account();
  await mustFeed([account]);
  return account;
}

describe("a coupon of the feed", () => {
  it("takes its defaults for what is left out or null", async ({ expect }) => {
    const account = await chain();
    const coupon = seed.coupon(account.id, { header_lines: null, can_expire: null, coupon_barcode: null });
    await setClock("2026-05-10 12:00:00");

    await mustFeed([coupon]);

    expect(await stored(coupon.id)).toMatchObject({
      campaign_id: null,
      source_campaign_id: null,
      header_lines: [],
      text_lines: [],
      can_expire: 0,
      expiration_type: "Never_Expires",
      expiration_date: null,
      expiration: "",
      once_per_sale: 0,
      filter_items: null,
      coupon_barcode: "0",
      is_custom: 0,
      can_combine_with_other: 0,
      created_at: "2026-05-10 12:00:00",
    });
  });

  it("keeps the time of its first writing when a later line leaves it out", async ({ expect }) => {
    const account = await chain();
    const coupon = seed.coupon(account.id);
    await setClock("2026-05-10 12:00:00");
    await mustFeed([coupon]);
    await setClock("2026-06-01 00:00:00");

    await mustFeed([{ ...coupon, name: "Renamed" }]);

    expect(await stored(coupon.id)).toMatchObject({ name: "Renamed", created_at: "2026-05-10 12:00:00" });
  });

  it.for([
    ["kind", "paper"],
    ["value", 5],
    ["value", "5.001"],
    ["header_lines", "one"],
    ["header_lines", Array.from({ length: 21 }, () => "x")],
    ["text_lines", [1]],
    ["text_lines", ["x".repeat(201)]],
    ["can_expire", 2],
    ["can_expire", "1"],
    ["expiration_date", "2026-02-30"],
    ["coupon_barcode", ""],
    ["coupon_barcode", "1234567890123456"],
    ["coupon_barcode", 12],
    ["filter_items", ["a"]],
    ["name", "x".repeat(201)],
    ["created_at", "2026-01-32"],
  ] as const)("names a bad %s: %j", async ([field, value], { expect }) => {
    const account = await chain();

    const answer = await feed([seed.coupon(account.id, { [field]: value })]);

    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body.messages)).toEqual([`line 1.${field}`]);
  });

  it("must be of a stored account, and of a stored campaign of that account", async ({ expect }) => {
    const account = await chain();
    const foreign = seed.campaign((await chain()).id);
    const own = seed.campaign(account.id);
    await mustFeed([own, foreign]);

    const answer = await feed([
      seed.coupon(account.id, { campaign_id: own.id }),
      seed.coupon(account.id, { campaign_id: foreign.id }),
      seed.coupon(account.id, { campaign_id: "unknown" }),
      seed.coupon("999999999"),
      seed.coupon("999999999", { campaign_id: own.id }),
    ]);

    expect(Object.keys(answer.body.messages)).toEqual([
      "line 2.campaign_id",
      "line 3.campaign_id",
      "line 4.account_id",
      "line 5.account_id",
    ]);
  });

  it("stays of its account and its kind", async ({ expect }) => {
    const account = await chain();
    const other = await chain();
    const coupon = seed.coupon(account.id);
    await mustFeed([coupon]);

    const answer = await feed([{ ...coupon, account_id: other.id, kind: "digital" }]);

    expect(answer.body.messages).toEqual({
      "line 1.account_id": ["is fixed once written"],
      "line 1.kind": ["is fixed once written"],
    });
  });

  it("touches its account, and that of the coupon stored under its id", async ({ expect }) => {
    const account = await chain();
    const other = await chain();
    const coupon = seed.coupon(account.id);
    await mustFeed([coupon]);

    expect((await feed([coupon], [String(account.id)])).status).toBe(200);
    expect((await feed([coupon], [String(other.id)])).status).toBe(403);
    expect((await feed([{ ...coupon, account_id: other.id }], [String(other.id)])).status).toBe(403);
    expect((await feed([seed.deleted("coupon", { id: coupon.id })], [String(other.id)])).status).toBe(403);
    expect(await stored(coupon.id)).toMatchObject({ deleted: 0 });
  });

  it("is soft-deleted once, and written again comes back", async ({ expect }) => {
    const account = await chain();
    const coupon = seed.coupon(account.id);
    const deletion = seed.deleted("coupon", { id: coupon.id });

    expect((await mustFeed([deletion])).body.items).toEqual({ accepted: 0, ignored: 1 });
    await mustFeed([coupon]);
    expect((await mustFeed([deletion])).body.items).toEqual({ accepted: 1, ignored: 0 });
    expect((await mustFeed([deletion])).body.items).toEqual({ accepted: 0, ignored: 1 });
    await mustFeed([coupon]);
    expect(await stored(coupon.id)).toMatchObject({ deleted: 0 });
  });
});
