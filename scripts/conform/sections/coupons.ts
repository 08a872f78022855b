import { expectExactFields, expectFailure, expectInvalid, expectList, expectSame, expectThat } from "../expect.ts";
import { type Answer, type Item, idsOf, itemsOf, listOf } from "../http.ts";
import { account, coupon, customer, deleted as deletedLine, issued, membership, store, time } from "../lines.ts";
import type { Section, Suite } from "../suite.ts";

const PATH = "coupons";
const DETAILS = ["coupon_id", "reserved", "account", "campaign_coupon"];
const LIST_LIMIT = 1_000;
const [EARLY, LATE] = ["2098-01-01 00:00:00", "2099-01-01 00:00:00"];

export async function coupons(suite: Suite): Promise<Section> {
  const { ann, ben, eve } = await suite.callers();
  const { accountId, otherAccount } = suite.accountIds("accountId otherAccount");
  const { shop, otherShop, plain, expires, neverExpires, dollarOff, elsewhere, mfg } = suite.ids(
    "shop otherShop plain expires neverExpires dollarOff elsewhere mfg",
  );
  const { soon, byCoupon, endless, endlessOlder, tied, tiedToo, foreign, otherType, ofMfg } = suite.ids(
    "soon byCoupon endless endlessOlder tied tiedToo foreign otherType ofMfg",
  );
  const { usedUp, over, deleted, deletedLater } = suite.ids("usedUp over deleted deletedLater");
  const { digital, otherMfg, lastOfCrowd } = suite.ids("digital otherMfg lastOfCrowd");
  const crowd = Array.from({ length: LIST_LIMIT + 1 }, () => suite.id("crowd"));
  const [newer, older] = [{ created_at: "2026-01-02 00:00:00" }, { created_at: "2026-01-01 00:00:00" }];
  /** A coupon that was issued to Ann. */
  const heldByAnn = ({ id, of = plain, at = shop, ...fields }: { id: string; of?: string; at?: string } & Item) =>
    issued(id, ann.id, of, at, fields);

  const list = (query: Record<string, string> = {}, caller = ann) => suite.get(caller, PATH, query);
  const detailed = (query: Record<string, string> = {}) => list({ includemfg: "true", ...query });
  const logosOf = (answer: Answer) =>
    listOf(answer, "stores").map((item) => (item.account as Item | undefined)?.loyalty_options as Item | undefined);

  return {
    section: "interface, 4.4",
    rulesWithoutFeeding: {
      "`includemfg` | boolean | no, false | adds manufacturer coupons, and selects the detailed variant": async () =>
        expectInvalid(await list({ includemfg: "maybe" }), "includemfg"),
    },
    lines: [
      account(accountId, {
        company: "Crème Café",
        loyalty_options: { chain_logo: "bG9nbw==", chain_display_name: "Blue Chain" },
      }),
      account(otherAccount),
      store(shop, accountId),
      store(otherShop, otherAccount),
      customer(ann.id),
      coupon(plain, accountId, { name: "100%_off", header_lines: ["Señor header"], text_lines: ["A text line"] }),
      coupon(expires, accountId, { can_expire: 1, expiration_date: EARLY }),
      coupon(neverExpires, accountId, { can_expire: 0, expiration_date: "2020-01-01" }),
      coupon(dollarOff, accountId, { name: "Other kind", type: "Dollar_Off" }),
      coupon(elsewhere, otherAccount),
      coupon(mfg, accountId, { kind: "mfg" }),
      heldByAnn({ id: soon, expected_end_date: time(3_600), ...older }),
      heldByAnn({ id: byCoupon, of: expires, expected_end_date: LATE, ...newer }),
      heldByAnn({ id: endless, of: neverExpires, ...newer }),
      heldByAnn({ id: endlessOlder, ...older }),
      heldByAnn({ id: tied, expected_end_date: LATE, ...older }),
      heldByAnn({ id: tiedToo, expected_end_date: LATE, ...older }),
      heldByAnn({ id: foreign, of: elsewhere, at: otherShop, ...older }),
      heldByAnn({ id: otherType, of: dollarOff, ...older }),
      heldByAnn({ id: ofMfg, of: mfg, ...older }),
      heldByAnn({ id: usedUp, total_count: 2, usage_count: 2 }),
      heldByAnn({ id: over, expected_end_date: time(-5) }),
      heldByAnn({ id: deleted, deleted_at: "2026-01-01 00:00:00" }),
      heldByAnn({ id: deletedLater, deleted_at: LATE }),
      customer(ben.id),
      coupon(digital, accountId, { kind: "digital" }),
      coupon(otherMfg, otherAccount, { kind: "mfg" }),
      ...crowd.map((id) => issued(id, ben.id, elsewhere, otherShop, older)),
      issued(lastOfCrowd, ben.id, otherMfg, otherShop, newer),
    ],
    rulesWithFeeding: {
      "Only valid coupons are listed: without `deleted_at` (also one in the future), used fewer than `total_count` times, and not past their end.":
        async () => {
          const actual = idsOf(await list());
          expectSame(
            [usedUp, over, deleted, deletedLater].filter((id) => actual.includes(id)),
            [],
          );
        },
      "The end is the earlier of `expected_end_date` and, if `can_expire` is 1, `expiration_date`; its own second is the last valid one. Without an end, a coupon stays valid.":
        async () => {
          const actual = idsOf(await list());
          expectThat(actual.indexOf(byCoupon) < actual.indexOf(tied), "the expiration_date is not the end");
          expectThat(actual.includes(endless), "a coupon that cannot expire is left out after its expiration_date");
        },
      'the end, soonest first and "no end" last; then `created_at`, newest first; then id.': async () => {
        expectList(await list(), [soon, byCoupon, tied, tiedToo, endless, endlessOlder, foreign, otherType]);
      },
      "`items` is an array of store coupons (5.3), at most 1,000.": async () => {
        const items = itemsOf(await list());
        expectThat(!idsOf(items).includes(ofMfg), "a manufacturer coupon is listed without includemfg");
        expectThat(!items.some((item) => DETAILS.some((name) => name in item)), "a coupon has details");
      },
      "At most 1,000 records in all, `stores` first.": async () => {
        expectList(await list({}, ben), crowd.slice(0, LIST_LIMIT));
        const ids = async () => {
          const answer = await list({ includemfg: "true" }, ben);
          return ["stores", "mfg"].flatMap((name) => idsOf(listOf(answer, name)));
        };
        expectSame(await ids(), crowd.slice(0, LIST_LIMIT));
        const usedFields = { ...older, usage_count: 1 };
        await suite.feed(...crowd.slice(2).map((id) => issued(id, ben.id, elsewhere, otherShop, usedFields)));
        expectSame(await ids(), [...crowd.slice(0, 2), lastOfCrowd]);
      },
      "`digital` coupons belong to an account and reach every customer who has joined one of its stores.": async () => {
        const isShown = async () => (await suite.get(ann, "my-coupons", { digitalonly: "1" })).text.includes(digital);
        const { first, second } = suite.ids("first second");
        expectSame(await isShown(), false, "before the customer joins");
        await suite.feed(...[first, second].flatMap((id) => [store(id, accountId), membership(id, ann.id)]));
        expectSame(await isShown(), true, "to a member of two stores");
        await suite.feed(deletedLine("membership", { store_id: first, customer_id: ann.id }));
        expectSame(await isShown(), true, "to a member of the other store");
        await suite.feed(deletedLine("store", { id: second }));
        expectSame(await isShown(), false, "once the other store is deleted");
      },
      "`items` is an object with the arrays `stores` and `mfg`, whose records also have `account`, `campaign_coupon`, `coupon_id` and `reserved`.":
        async () => {
          const answer = await detailed();
          expectExactFields(answer.body.items, ["stores", "mfg"]);
          expectSame(idsOf(listOf(answer, "mfg")), [ofMfg]);
          const [firstCoupon = {}] = listOf(answer, "stores");
          expectThat(
            DETAILS.every((name) => name in firstCoupon),
            "a coupon lacks details",
          );
        },
      'Without `include_images`, `chain_logo` is `""`.': async () => {
        expectSame(logosOf(await detailed())[0]?.chain_logo, "");
        expectSame(logosOf(await detailed({ include_images: "true" }))[0]?.chain_logo, "bG9nbw==");
      },
      "part of the coupon's name, a header line, a text line or the chain's name": async () => {
        const findsCoupon = async (search: string) => idsOf(await list({ search })).includes(soon);
        for (const search of ["0%_o", "SENOR", "ext li", "creme caf", "ue chai"])
          expectThat(await findsCoupon(search), `the search "${search}" does not find the coupon`);
        expectFailure(await list({ search: "100_" }), 200, "NO_ITEMS");
      },
      "A match lies within one name or line.": async () => {
        for (const search of ["off señor", "header text", "café blue", '","', "free_item"])
          expectFailure(await list({ search }), 200, "NO_ITEMS");
      },
      "`search` is not trimmed.": async () => {
        expectFailure(await list({ search: " 100" }), 200, "NO_ITEMS");
      },
      "the record's `type`; case and accents do not matter": async () => {
        expectList(await list({ type: "DOLLAR_öff" }), [otherType]);
      },
      "only coupons of this account": async () => {
        expectList(await list({ accountId: otherAccount }), [foreign]);
      },
      "If nothing is found, the answer is `NO_ITEMS`.": async () => {
        expectFailure(await list({}, eve), 200, "NO_ITEMS");
        expectFailure(await list({ includemfg: "true", accountId: suite.accountId() }), 200, "NO_ITEMS");
      },
    },
  };
}
