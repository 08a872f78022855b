import { linkOf } from "../../lib/call.ts";
import { expectFields, expectInvalid, expectList, expectOk, expectSame, expectThat } from "../expect.ts";
import { type Answer, idsOf, listOf } from "../http.ts";
import { section } from "../suite.ts";

const NEARBY = "campaigns/near-by-popular-campaigns";
const BOARD = "gamification/leaderboard";
/** Names in the order of code points. Sorting by UTF-16 code units or by an alphabet gives other orders. */
export const SORTED_NAMES = ["Z", "a", "aa", "é", "\uFFFD", "\u{1F600}"];
/** Searches, and whether each of them finds a coupon with this name. */
const MATCHES = [
  { search: "EE c", name: "Free coffee", isFound: true },
  { search: "CAFÉ", name: "Free cafe", isFound: true },
  { search: "café", name: "Free cafe\u0301 today", isFound: true },
  { search: "łódź", name: "ŁÓDŹ", isFound: true },
  { search: "lodz strasse", name: "ŁÓDŹ Straße", isFound: true },
  { search: "パンダ", name: "ﾊﾟﾝﾀﾞ", isFound: true },
  { search: "ハンダ", name: "パンダ", isFound: false },
  { search: "हिन्दी", name: "हन्द", isFound: false },
  { search: "ไม", name: "ไม้", isFound: true },
  { search: "ไม้", name: "ไม", isFound: false },
  { search: "علي ٣", name: "علی 3", isFound: true },
  { search: "김".normalize("NFD"), name: "김", isFound: true },
  { search: "\u0301", name: "Any", isFound: false },
  { search: "ΔΩΡΟ ΚΑΦΕΣ", name: "Δώρο καφές", isFound: true },
  { search: "καφες", name: "ΚΑΦΕΣΑΚΙ", isFound: true },
  { search: "a_b", name: "a_b", isFound: true },
  { search: "fr_e", name: "Free", isFound: false },
  { search: "f%e", name: "Free", isFound: false },
  { search: "\\", name: "either\\or", isFound: true },
  { search: "'; DROP", name: "Rock'; DROP TABLE coupons", isFound: true },
  { search: "✓", name: "Fresh ✓", isFound: true },
  { search: "x".repeat(51), name: `-${"x".repeat(51)}-`, isFound: true },
  { search: "🍩".repeat(100), name: "🍩".repeat(101), isFound: true },
];
/** Cursors that the service never makes: at a time that does not exist, of wrong types, or incomplete. */
const BAD_CURSORS = [
  ["messages", { time: "2026-11-31 09:30:00", group_id: "g", bookmark: "" }],
  ["messages", { time: "2026-11-20 09:30:00", group_id: "g" }],
  ["coupons", { kind: "store", ends_at: "never", created_at: 7, id: "i", bookmark: "" }],
  ["my-coupons", { shown: 50 }],
  ["stores/s/team-with-level", { depth: "1", name: "A", id: "c", bookmark: "" }],
  ["me", { company: "A", bookmark: "" }],
  ["me", {}],
] as const;
const NOT_NUMBERS = ["", true, "8x", "1e3", "NaN", "Infinity", [8]];

export const conventions = section("interface, 1", ({ suite, ann, ben, eve, seed, seedChain, it }) => {
  const nearby = (more: object) =>
    suite.post(ann, NEARBY, { latitude: 0, longitude: 0, single_account_id: "1", ...more });
  const myCoupons = (query = "", method = "GET") =>
    suite.http.send(`/api/v1/customer/my-coupons${query}`, { token: ann.token, method });

  it("Both must exist in the calendar.", async () => {
    for (const check_time of ["2026-02-29 00:00:00", "2026-11-20 24:00:00", "2026-13-01 00:00:00"])
      expectInvalid(await suite.get(ann, "messages", { check_time }), "check_time");
  });
  it("A parameter that is not a list must not be given twice.", async () =>
    expectInvalid(await myCoupons("?search=a&search=b"), "search"));
  it("The `Content-Type` does not matter.", async () => {
    const body = JSON.stringify({ latitude: 0, longitude: 0, single_account_id: "1" });
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-8"]) {
      const request = { token: ann.token, body, headers: { "Content-Type": type } };
      expectOk(await suite.http.send(`/api/v1/customer/${NEARBY}`, request));
    }
  });
  it("Booleans in a query are `true`, `false`, `1` or `0`, in any case.", async () => {
    for (const value of ["TRUE", "False", "1", "0"]) expectOk(await myCoupons(`?digitalonly=${value}`));
    for (const value of ["yes", "2", "t"]) expectInvalid(await myCoupons(`?digitalonly=${value}`), "digitalonly");
  });
  it('`""`, `null`, `true`, `"8x"`, `"1e3"`, `NaN` and `Infinity` are not numbers.', async () => {
    for (const count of NOT_NUMBERS) expectInvalid(await nearby({ count }), "count");
    expectInvalid(await nearby({ latitude: null }), "latitude");
  });
  it('`8`, `8.0` and `"8.0"` are the same whole number.', async () => {
    for (const count of [8, "8", "8.0"]) expectOk(await nearby({ count }));
    expectOk(await nearby({ latitude: "-1.5" }));
  });
  it("In a query, `search=` or `page=` means that the parameter is absent.", async () =>
    expectOk(await myCoupons("?search=&page=&type=&storeId=")));
  it('In a JSON body, `null` means absent for an optional parameter, and `""` for an optional text only.', async () => {
    for (const eip_campaign_id of ["", null])
      expectOk(await suite.post(ann, BOARD, { location_id: "s", eip_campaign_id }));
    expectOk(await nearby({ count: null }));
    expectInvalid(await nearby({ latitude: "" }), "latitude");
  });
  it("In a JSON body, a whole number counts as the string of its digits.", async () =>
    expectSame((await nearby({ single_account_id: 1 })).text, (await nearby({})).text));
  it("An empty body counts as `{}`.", async () =>
    expectOk(await suite.http.send(`/api/v1/customer/${BOARD}?location_id=s`, { token: ann.token, body: "" })));
  it("Words of a closed set ignore case.", async () => {
    expectOk(await myCoupons("?type=STORE"));
    expectOk(await suite.post(ann, BOARD, { location_id: "s", rank_on: "Run" }));
  });
  it("A slash at the end, and a doubled slash, are ignored.", async () =>
    expectOk(await suite.http.send("/api//v1/customer/my-coupons//", { token: ann.token })));
  it("Other brackets behind a known name are 422.", async () => {
    for (const name of ["storeId[x]", "search[]"])
      expectInvalid(await myCoupons(`?${name}=a`), name.split("[")[0] ?? "");
  });
  it("Unknown parameters are ignored.", async () => {
    expectOk(await nearby({ nobody: "knows", this: { parameter: 1 } }));
    expectOk(await myCoupons("?nobody=knows&nobody=this"));
  });
  it("`page` takes 1 to 999,999,999, and `per_page` 1 to 100.", async () => {
    for (const page of ["0", "1000000000", "-1", "1.5", "one"]) expectInvalid(await myCoupons(`?page=${page}`), "page");
    for (const size of ["0", "101"]) expectInvalid(await myCoupons(`?per_page=${size}`), "per_page");
    expectOk(await myCoupons("?page=999999999&per_page=100"));
  });
  it("A malformed `after` is 422.", async () => {
    for (const path of ["messages", "coupons", "my-coupons", "me"])
      expectInvalid(await suite.get(ann, path, { after: "x" }), "after");
    for (const [path, cursor] of BAD_CURSORS)
      expectInvalid(await suite.get(ann, path, { after: JSON.stringify(cursor) }), "after");
  });
  it("HEAD is answered like GET, without a body.", async () => {
    const [head, get] = [await myCoupons("", "HEAD"), await myCoupons()];
    expectSame([head.status, head.text], [get.status, ""]);
    expectSame(head.headers.get("Content-Type"), get.headers.get("Content-Type"));
  });

  const { chain, shop } = seedChain(ann, ben, eve);
  seed.membership(shop, eve);
  seed.eipCampaign(chain);
  const plainCoupon = seed.coupon(chain, { name: "José's deal", value: "5" });
  const percentCoupon = seed.issued(ann, seed.coupon(chain, { name: '50%_off "now"*' }), shop);
  const seedTied = () => seed.issued(ann, plainCoupon, shop, { created_at: "2026-01-01 00:00:00" });
  const tiedCoupons = [seedTied(), seedTied(), seedTied()] as const;
  const matches = MATCHES.map((match) => {
    const coupon = seed.coupon(chain, { name: match.name });
    return { ...match, issuedCoupon: seed.issued(eve, coupon, shop) };
  });
  for (const name of SORTED_NAMES.toReversed()) {
    seed.membership(shop, seed.customer(`Mx ${name}`), { referrer_id: eve });
    seed.membership(seed.store(seed.account({ company: name })), eve);
  }

  const storeIds = (answer: Answer) => idsOf(listOf(answer, "store"));
  const idsBySearch = async (search: string) => idsOf(await suite.get(ann, "coupons", { search }));

  it("`storeId=a,b` and `storeId=a&storeId=b` are the same list. Blanks around a part are dropped, and empty parts are ignored.", async () => {
    const expected = [percentCoupon, ...tiedCoupons];
    for (const search of [`nobody,${shop.id}`, `nobody&storeId[]=${shop.id}`, `,%20${shop.id}%20,,&storeId[0]=`])
      expectSame(storeIds(await myCoupons(`?storeId=${search}`)), expected, `coupons of storeId=${search}`);
  });
  it("Every list has a total order, because ties end on the id.", async () => {
    const pages = await Promise.all([1, 2, 3, 4].map((page) => myCoupons(`?per_page=1&page=${page}`)));
    expectSame(pages.flatMap(storeIds), [percentCoupon, ...tiedCoupons]);
  });
  it("The header `Link` (RFC 8288) has the address of the next page, and of the page before a `page`.", async () => {
    const next = linkOf(await myCoupons("?per_page=3&type=store&search=")) ?? "";
    const { searchParams } = new URL(next);
    expectSame([searchParams.get("type"), searchParams.get("page")], ["store", null]);
    const second = await suite.http.send(next, { token: ann.token });
    expectSame(storeIds(second), tiedCoupons.slice(2));
    expectSame([linkOf(second), linkOf(second, "prev")], [undefined, undefined]);
    const counted = await myCoupons("?per_page=3&page=2");
    expectSame(storeIds(counted), tiedCoupons.slice(2));
    const first = await suite.http.send(linkOf(counted, "prev") ?? "", { token: ann.token });
    expectSame(storeIds(first), [percentCoupon, ...tiedCoupons.slice(0, 2)]);
  });
  it("With `after`, `page` is ignored.", async () => {
    const next = new URL(linkOf(await myCoupons("?per_page=1")) ?? "");
    next.searchParams.set("page", "7");
    expectSame(storeIds(await suite.http.send(next.href, { token: ann.token })), tiedCoupons.slice(0, 1));
  });
  it('As a string an amount has two fraction digits (`"5.00"`).', async () =>
    expectFields(await suite.couponOf(ann, tiedCoupons[0]), { value: "5.00" }));
  it("A search ignores case and accents: `jose` finds `José`.", async () =>
    expectSame(await idsBySearch("JOSE'S"), tiedCoupons));
  it("Matching text compares folded texts: `jose` finds José, `lukasz` Łukasz, `strasse` Straße, but ハンダ not パンダ.", async () => {
    for (const { issuedCoupon, search, name, isFound } of matches) {
      const ids = idsOf(await suite.get(eve, "coupons", { search }));
      expectSame(ids.includes(issuedCoupon.id), isFound, `whether ${search} finds ${name}`);
    }
  });
  it("Names are sorted by code point.", async () => {
    const team = await suite.get(eve, `stores/${shop.id}/team-with-level`);
    const names = SORTED_NAMES.map((name) => `Mx ${name}`);
    expectList(team, names, "name");
    const balances = listOf(await suite.get(eve, "me"), "balances");
    const otherBalances = balances.filter(({ account_id }) => account_id !== chain.id);
    expectList(otherBalances, SORTED_NAMES, "company");
  });
  it("`%`, `_`, quotes and query operators are plain text.", async () => {
    for (const search of ["50%_", '"now"*'])
      expectSame(await idsBySearch(search), [percentCoupon], `coupons by ${search}`);
    for (const search of ["5%f", "_0%"]) expectThat((await idsBySearch(search)).length === 0, `${search} is a pattern`);
  });
});
