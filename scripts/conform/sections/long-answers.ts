import { expectSame, expectThat } from "../expect.ts";
import { type Answer, type Item, idsOf, itemsOf, listOf } from "../http.ts";
import { type Line, type LineWithId, many } from "../lines.ts";
import { type Suite, section } from "../suite.ts";

const MIB = 1_024 * 1_024;
/** A cut answer may be this many bytes shorter than the limit allows, because of the JSON around its items. */
const MOST_OTHER_BYTES = 400;
const SEARCH_LIST_BYTES = 600_000;
const LINES_A_REQUEST = 25;

/** A text of control characters, which take six bytes each as JSON. */
const longText = (length: number) => "\u0001".repeat(length);
const [DESCRIPTION, TEXT] = [longText(4_000), longText(2_000)];
const PERSON = { customer_description: DESCRIPTION, avatar: TEXT };
const bytesOf = (text: string) => new TextEncoder().encode(text).length;

/** Feeds lines in several requests, because a request has at most 2 MiB. */
async function feedInParts(suite: Suite, lines: readonly Line[]): Promise<void> {
  for (let from = 0; from < lines.length; from += LINES_A_REQUEST)
    await suite.feed(...lines.slice(from, from + LINES_A_REQUEST));
}

interface LongList {
  /** The records that the answers must show together, in this order. */
  records: readonly LineWithId[];
  /** The most records of an answer. */
  perPage: number;
}

/** Expects the answers of a list to end as late as the limit allows, and to show all records. */
function expectCut(answers: readonly Answer[], { records, perPage }: LongList, mostBytes = 2 * MIB): void {
  const path = answers[0]?.request;
  const lists = answers.map((answer) => (Array.isArray(answer.body.items) ? itemsOf(answer) : issuedCouponsIn(answer)));
  const ids = lists.flatMap((items) => items.map((item) => item.group_id ?? item.id));
  expectSame(ids, records, `what all answers of ${path} list`);
  expectSame(new Set(answers.map(({ headers }) => headers.get("ETag"))).size, answers.length, `the tags of ${path}`);
  expectThat(
    lists.slice(0, -1).some((items) => items.length < perPage),
    `no answer of ${path} is cut`,
  );
  for (const [index, { text }] of answers.entries()) {
    expectThat(bytesOf(text) <= mostBytes, `an answer of ${path} has ${bytesOf(text)} bytes`);
    const next = lists[index + 1]?.[0];
    const isCut = next !== undefined && lists[index]?.length !== perPage;
    const isFull = bytesOf(text) + bytesOf(JSON.stringify(next ?? "")) > mostBytes - MOST_OTHER_BYTES;
    expectThat(!isCut || isFull, `an answer of ${path} stops after ${bytesOf(text)} bytes`);
  }
}

const issuedCouponsIn = (answer: Answer): Item[] => ["store", "mfg"].flatMap((name) => listOf(answer, name));

export const longAnswers = section("interface, 1", ({ suite, ann, ben, eve, seed, seedChain, make, it }) => {
  const { chain, shop } = seedChain(ann, ben, eve);
  const teamShop = seed.store(chain);

  const texts = { header_lines: Array(20).fill(longText(200)) };
  const [plainCoupon, mfgCoupon] = [seed.coupon(chain, texts), seed.coupon(chain, { kind: "mfg", ...texts })];
  const issuedCoupons = (coupon: LineWithId, count: number) =>
    many(count, () => seed.issued(ann, coupon, shop, { created_at: "2026-01-01 00:00:00" }));
  const [issuedPlain, issuedMfg] = [issuedCoupons(plainCoupon, 110), issuedCoupons(mfgCoupon, 30)];

  const members = many(9, () => seed.customer("Long Texts", PERSON));
  const groups = many(10, () => seed.group([ben, ...members]));
  for (const group of groups) seed.message(group, members[0], "Hello", { sent_at: "2026-01-05 09:00:00" });
  seed.membership(teamShop, eve);

  it("A page has 50 items unless `per_page` says otherwise.", async () =>
    expectSame(idsOf(issuedCouponsIn(await suite.get(ann, "my-coupons", { per_page: "" }))), issuedPlain.slice(0, 50)));
  it("An answer has at most 2 MiB (2,097,152 bytes), unless a single item has more. A list that would have more stops before the item that would exceed it", async () =>
    expectCut(await suite.pages("/api/v1/customer/coupons", ann.token), { records: issuedPlain, perPage: 1_000 }));
  it("The rest follows through `Link`.", async () => {
    const couponAnswers = await suite.pages("/api/v1/customer/my-coupons?per_page=100", ann.token);
    expectCut(couponAnswers, { records: [...issuedPlain, ...issuedMfg], perPage: 100 });

    const team = many(70, () => make.customer("Long Texts", PERSON));
    const memberships = team.map((member) => make.membership(teamShop, member, { referrer_id: eve }));
    await feedInParts(suite, team);
    await feedInParts(suite, memberships);
    const teamPath = `/api/v1/customer/stores/${teamShop.id}/team-with-level?per_page=65`;
    expectCut(await suite.pages(teamPath, eve.token), { records: team, perPage: 65 });
  });
  it("`page` always counts `per_page` items.", async () => {
    const page = await suite.get(ben, "messages", { per_page: "4", page: "2" });
    expectSame(idsOf(page, "group_id")[0], groups[4]);
  });
  it("For `GET /messages` the bound is 1 MiB.", async () => {
    const answers = await suite.pages("/api/v1/customer/messages?per_page=4", ben.token);
    expectCut(answers, { records: groups, perPage: 4 }, MIB);
  });
  it("Nearby campaigns and the full search end there.", async () => {
    const texts = { campaign_description: DESCRIPTION, campaign_image: TEXT };
    const account = make.account();
    await suite.feed(account, make.store(account));
    const campaigns = many(70, () => make.campaign(account, texts));
    await feedInParts(suite, campaigns);
    const query = { latitude: 10, longitude: 20, count: 100, single_account_id: account.id };
    const answer = await suite.post(ann, "campaigns/near-by-popular-campaigns", query);
    const bytes = bytesOf(answer.text);
    expectThat(bytes <= 2 * MIB, `the answer has ${bytes} bytes`);
    const [first] = itemsOf(answer);
    expectThat(bytes + bytesOf(JSON.stringify(first)) > 2 * MIB, `the list stops after ${bytes} bytes`);
  });
});

export const longSearch = section("interface, 4.6", ({ suite, ann, make, it }) => {
  it("A list ends earlier where it would have more than 600,000 bytes.", async () => {
    const word = suite.word();
    const fields = ["slug", "domain_name", "phone", "address", "partner_code", "data"];
    const accounts = many(20, () => make.account(Object.fromEntries(fields.map((name) => [name, TEXT]))));
    await feedInParts(suite, accounts);
    await feedInParts(suite, [
      make.caller(ann, word, PERSON),
      ...accounts.map((account) => make.store(account, { name: word })),
      ...accounts.map((account) => make.campaign(account, { name: word, campaign_description: DESCRIPTION })),
      ...many(20, () => make.customer(word, PERSON)),
    ]);
    const answer = await suite.post(ann, "full-search", { query: word });
    const findsAllCustomers = suite.settings.customerSearch === "all";
    for (const name of ["stores", "campaigns", ...(findsAllCustomers ? ["customers"] : [])]) {
      const list = listOf(answer, name);
      const bytes = bytesOf(JSON.stringify(list)) - 2;
      expectThat(bytes <= SEARCH_LIST_BYTES, `${name} has ${bytes} bytes`);
      const nextBytes = bytesOf(JSON.stringify(list[0])) + 1;
      expectThat(bytes + nextBytes > SEARCH_LIST_BYTES, `${name} stops after ${bytes} bytes`);
    }
  });
});
