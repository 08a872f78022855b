import { expectFields, expectInvalid, expectOk, expectSame } from "../expect.ts";
import type { Item } from "../http.ts";
import { listOf } from "../http.ts";
import {
  account,
  campaign,
  coupon,
  customer,
  eipCampaign,
  employee,
  entry,
  group,
  issued,
  play,
  store,
} from "../lines.ts";
import type { Line, Section, Suite } from "../suite.ts";

/** docs/contract/feed.md, 3 */
export async function feedValues(suite: Suite): Promise<Section> {
  const { ann } = await suite.callers();
  const accountId = suite.accountId();
  const { shop, plain, league, player } = suite.ids("shop", "plain", "league", "player");

  /** Expects that a line is bad with each value in a field, and only for that field. */
  const refused = async (make: (fields: Item) => Line, field: string, ...values: unknown[]) => {
    for (const value of values) expectInvalid(await suite.send([make({ [field]: value })]), `line 1.${field}`);
  };
  const taken = async (...lines: Line[]) => expectOk(await suite.send(lines));
  const aStore = (fields: Item) => store(suite.id("store"), accountId, fields);
  const aCoupon = (fields: Item) => coupon(suite.id("coupon"), accountId, fields);
  const aCampaign = (fields: Item) => campaign(suite.id("campaign"), accountId, fields);
  const anEntry = (fields: Item) => entry(suite.id("entry"), ann.id, shop, "1.00", fields);
  const aPlay = (fields: Item) => play(suite.id("play"), league, shop, player, fields);
  const anIssued = (fields: Item) => issued(suite.id("issued"), ann.id, plain, shop, fields);

  return {
    cited: "feed, 3",
    lines: [
      account(accountId),
      store(shop, accountId),
      coupon(plain, accountId),
      customer(ann.id),
      eipCampaign(league, accountId),
      employee(player, accountId, "Ada"),
    ],
    feeds: {
      "`name`, `first_name`, `last_name`, `company` | at most 200 characters (code points, as everywhere)":
        async () => {
          await refused(aStore, "name", "x".repeat(201), 7);
          await taken(aStore({ name: "\u{1F600}".repeat(200) }));
        },
      "other texts | at most 2,000 characters": async () => {
        await refused(aStore, "city", "x".repeat(2_001));
        await taken(aStore({ city: "x".repeat(2_000) }));
      },
      "no NUL, no half of a surrogate pair": async () => {
        const id = suite.id("store");
        const line = JSON.stringify(store(id, accountId, { city: "MARK" }));
        for (const escaped of ["\\u0000", "\\ud83d", "\\ude00"])
          expectInvalid(await suite.send([line.replace("MARK", escaped)]), "line 1.city");
      },
      "ids | 1 to 64 characters; account ids 1 to 15 digits without a leading zero": async () => {
        expectInvalid(await suite.send([store("x".repeat(65), accountId)]), "line 1.id");
        expectInvalid(await suite.send([store("", accountId)]), "line 1.id");
        for (const id of ["0123", "1234567890123456", "abc"])
          expectInvalid(await suite.send([account(id)]), "line 1.id");
      },
      "ids of events | not beginning with `sealed:`": async () => {
        await refused(anEntry, "id", "sealed:1");
        await refused(aPlay, "id", "sealed:1");
      },
      "at most 20 lines each, of at most 200 characters": async () => {
        await refused(aCoupon, "header_lines", Array(21).fill("x"));
        await refused(aCoupon, "text_lines", ["x".repeat(201)]);
        await taken(aCoupon({ header_lines: Array(20).fill("x") }));
      },
      "`member_ids` | 2 to 100 customers": async () => {
        expectInvalid(await suite.send([group(suite.id("group"), [ann.id])]), "line 1.member_ids");
      },
      "decimals | strings of the form `-?\\d{1,12}(\\.\\d{1,2})?`": async () => {
        await refused(anEntry, "amount", 1, "1.234", "1e3", ".5", "1234567890123", "+1", "");
        await taken(
          anEntry({ amount: "-1" }),
          anEntry({ amount: "999999999999.99" }),
          anEntry({ amount: "-999999999999.99" }),
        );
      },
      "integers and flags | JSON numbers: 0 to 999,999,999, of a play from -999,999,999; flags 0 or 1": async () => {
        await refused(anIssued, "total_count", -1, 1_000_000_000, "1", 1.5);
        await refused(aPlay, "hits", -1_000_000_000, 1_000_000_000, "1", 1.5);
        await taken(aPlay({ hits: -999_999_999, doubles: -1, triples: -1 }), aPlay({ hits: 999_999_999 }));
        await refused(aCoupon, "can_expire", 2, "1", true);
        await refused(
          (fields) => issued(suite.id("issued"), ann.id, plain, shop, { total_count: 1, ...fields }),
          "usage_count",
          2,
        );
      },
      "barcodes | strings of 1 to 15 digits": async () => {
        await refused(aCoupon, "coupon_barcode", 42, "", "12x", "1234567890123456");
      },
      "latitude, longitude | JSON numbers, -90 to 90 and -180 to 180": async () => {
        await refused(aStore, "latitude", 90.1, "35", null);
        await refused(aStore, "longitude", -180.1);
        await taken(aStore({ latitude: -90, longitude: 180 }));
      },
      "a date alone, which means that day's last second in the line's `time_zone`. Answers show that second in UTC, and an export gives what was fed":
        async () => {
          const id = suite.id("issued");
          await suite.feed(anIssued({ id, expected_end_date: "2090-05-06", time_zone: "Asia/Tokyo" }));
          const { body } = await suite.get(ann, "coupons");
          const [came] = (body.items as Item[]).filter((item) => item.id === id);
          expectFields(came, { expected_end_date: "2090-05-06 14:59:59" }, "a coupon that ends on a day");
          await refused(anIssued, "expected_end_date", "2090-02-30", "soon", 7);
        },
      "RFC 3339 with any offset, `2026-01-06T09:00:00Z`; or a date alone, which is its midnight in UTC. Fractions of a second are cut off":
        async () => {
          const id = suite.id("issued");
          for (const [created_at, wanted] of [
            ["2026-01-06T09:00:00Z", "2026-01-06 09:00:00"],
            ["2026-01-06T09:00:00.999+05:30", "2026-01-06 03:30:00"],
            ["2026-01-06", "2026-01-06 00:00:00"],
          ]) {
            await suite.feed(anIssued({ id, created_at }));
            const { body } = await suite.get(ann, "coupons");
            const [came] = (body.items as Item[]).filter((item) => item.id === id);
            expectFields(came, { created_at: wanted }, `a coupon created at ${created_at}`);
          }
        },
      "`time_zone` | a name of IANA, such as `America/New_York`": async () => {
        await refused(aCampaign, "time_zone", "Mars/Olympus", 7);
        await taken(aCampaign({ time_zone: "America/New_York" }));
      },
      "`null` for a field that is not nullable means its default.": async () => {
        const word = suite.word();
        await suite.feed(aStore({ name: word, city: null }));
        const [came] = listOf(await suite.post(ann, "full-search", { query: word }), "stores");
        expectSame(came?.city, "", "a city that was fed as null");
      },
      "Unknown fields are ignored.": async () => taken(aStore({ nobody: { knows: [1] } })),
      "Left out, such a field is null where the interface says nullable; 0 if its name begins with `can_`, `allow_`, `enable_`, `show_`, `is_` or `include_`":
        async () => {
          const word = suite.word();
          await suite.feed(campaign(suite.id("campaign"), accountId, { name: word, age_value: 7 }));
          const [came] = listOf(await suite.post(ann, "full-search", { query: word }), "campaigns");
          expectFields(
            came,
            { age_value: 7, min_age: "", allow_cash_tender: 0, campaign_type: null, campaign_require_register: 0 },
            "a campaign",
          );
          expectFields(
            came?.account as Item,
            { parent_id: null, can_own_accounts: 0, slug: "", created_at: "" },
            "its account",
          );
        },
    },
  };
}
