import { expectExactFields, expectFailure, expectInvalid, expectList, expectSame } from "../expect.ts";
import { type Answer, type Item, idsOf, listOf } from "../http.ts";
import { account, coupon, customer, issued, membership, store } from "../lines.ts";
import type { Section, Suite } from "../suite.ts";

const PATH = "my-coupons";

export async function myCoupons(suite: Suite): Promise<Section> {
  const { ann, eve } = await suite.callers();
  const { accountId, otherAccount, notJoined } = suite.accountIds("accountId otherAccount notJoined");
  const { shop, otherShop, third, unknown } = suite.ids("shop otherShop third unknown");
  const { plain, mfg, digital, otherDigital, hiddenDigital } = suite.ids(
    "plain mfg digital otherDigital hiddenDigital",
  );
  const { atShop, first, second, ofMfg } = suite.ids("atShop first second ofMfg");
  const endIn = (year: number) => ({ expected_end_date: `${year}-01-01 00:00:00` });

  const list = (query: Record<string, string> = {}, caller = ann) => suite.get(caller, PATH, query);
  const digitalIdsOf = (answer: Answer) => listOf(answer, "digital").map((item) => (item.coupon as Item).id);
  const issuedCouponsOf = (answer: Answer) => ["store", "mfg"].flatMap((name) => listOf(answer, name));
  /** The ids in the lists `store`, `mfg` and `digital`, in this order. */
  const idsIn = (answer: Answer) => [...idsOf(issuedCouponsOf(answer)), ...digitalIdsOf(answer)];
  const allIds = [atShop, first, second, ofMfg, digital, otherDigital];

  return {
    section: "interface, 4.5",
    rulesWithoutFeeding: {
      "`type` | `store` or `mfg` | no | only this kind": async () =>
        expectInvalid(await list({ type: "digital" }), "type"),
    },
    lines: [
      ...[accountId, otherAccount, notJoined].map((id) => account(id, { loyalty_options: { chain_logo: "bG9nbw==" } })),
      store(shop, accountId),
      store(third, accountId),
      store(otherShop, otherAccount),
      customer(ann.id),
      membership(shop, ann.id),
      membership(otherShop, ann.id),
      coupon(plain, accountId),
      coupon(mfg, accountId, { kind: "mfg" }),
      coupon(digital, accountId, {
        kind: "digital",
        name: "Digital deal",
        can_expire: 1,
        expiration_date: "2090-01-01",
      }),
      coupon(otherDigital, otherAccount, { kind: "digital" }),
      coupon(hiddenDigital, notJoined, { kind: "digital" }),
      issued(atShop, ann.id, plain, shop, endIn(2091)),
      issued(first, ann.id, plain, third, endIn(2092)),
      issued(second, ann.id, plain, third, endIn(2093)),
      issued(ofMfg, ann.id, mfg, shop, endIn(2090)),
    ],
    rulesWithFeeding: {
      "`items` is an object with three arrays: `store`, `mfg` and `digital`. Records of `store` and `mfg` (5.3) have `account`, `coupon_id` and `reserved`, but no `campaign_coupon`.":
        async () => {
          const answer = await list();
          expectExactFields(answer.body.items, ["store", "mfg", "digital"]);
          expectSame(idsIn(answer), allIds);
          for (const item of issuedCouponsOf(answer)) {
            const actual = ["account", "coupon_id", "reserved", "campaign_coupon"].filter((name) => name in item);
            expectSame(actual, ["account", "coupon_id", "reserved"]);
          }
        },
      '`chain_logo` is always `""`.': async () => {
        const options = listOf(await list(), "store").map((item) => (item.account as Item).loyalty_options as Item);
        expectList(options, ["", "", ""], "chain_logo");
      },
      "only digital coupons": async () => {
        expectSame(idsIn(await list({ digitalonly: "true" })), [digital, otherDigital]);
        expectFailure(await list({}, eve), 200, "NO_ITEMS");
      },
      "coupons issued at these stores, and digital coupons of the accounts that own them": async () => {
        expectSame(idsIn(await list({ storeId: otherShop })), [otherDigital]);
        expectSame(idsIn(await list({ storeId: " , " })), allIds);
        expectSame(idsIn(await list({ storeId: third })), [first, second, digital]);
      },
      "Filters combine. `digitalonly` with `type`, or `type=mfg` with `includemfg=false`, finds nothing. An unknown store matches nothing.":
        async () => {
          expectSame(idsIn(await list({ type: "store", storeId: shop })), [atShop]);
          expectSame(idsIn(await list({ search: "DIGITAL dé", digitalonly: "1" })), [digital]);
          for (const query of [
            { digitalonly: "true", type: "store" },
            { digitalonly: "true", type: "mfg" },
            { type: "mfg", includemfg: "false" },
            { storeId: unknown },
          ])
            expectFailure(await list(query), 200, "NO_ITEMS");
        },
      "`false` leaves the manufacturer coupons out": async () => {
        expectSame(
          idsIn(await list({ includemfg: "false" })),
          allIds.filter((id) => id !== ofMfg),
        );
      },
      "Pages run over `store`, then `mfg`, then `digital` as one list. A page never holds more than `per_page` records in all.":
        async () => {
          const pages = await suite.pages(`/api/v1/customer/${PATH}?per_page=2`, ann.token);
          for (const item of pages.flatMap(issuedCouponsOf)) expectSame((item.account as Item).id, item.account_id);
          expectSame(pages.map(idsIn), [allIds.slice(0, 2), allIds.slice(2, 4), allIds.slice(4)]);
        },
      "If a page would be empty, the answer is `NO_ITEMS`, without `Link`.": async () => {
        const answer = await list({ page: "9" });
        expectFailure(answer, 200, "NO_ITEMS");
        expectSame(answer.headers.get("Link"), null);
      },
    },
  };
}
