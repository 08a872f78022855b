import { linkOf } from "../../lib/call.ts";
import { expectFailure, expectFields, expectInvalid, expectList, expectSame } from "../expect.ts";
import { type Answer, type Item, idsOf, itemsOf, listOf } from "../http.ts";
import { deletionOf, many, time } from "../lines.ts";
import { section } from "../suite.ts";

const BALANCES_LIMIT = 1_000;

export const me = section("interface, 4.8", ({ suite, ann, ben, eve, seed, make, it }) => {
  const joinedAccount = seed.account({ company: "Zest" });
  const bookedAccount = seed.account({ company: "Apple" });
  const closedAccount = seed.account({ company: "Mango" });
  const [mainShop, sideShop] = [seed.store(joinedAccount), seed.store(joinedAccount)];
  const [bookedShop, closedShop] = [seed.store(bookedAccount), seed.store(closedAccount)];
  const word = suite.word();
  seed.caller(ann, `Ann ${word}`, { scan_id: "7", date_of_birth: "1990-02-03" });
  for (const store of [mainShop, sideShop]) seed.membership(store, ann);
  seed.entry(ann, mainShop, "1.10");
  seed.entry(ann, sideShop, "2.20");
  seed.entry(ann, bookedShop, "5.00");
  seed.entry(ann, bookedShop, "-5.00");
  seed.entry(ann, closedShop, "10.00");
  const ask = (caller = ann) => suite.get(caller, "me");
  const itemOf = ({ body }: Answer) => (body.items ?? {}) as Item;
  /** The balances at the accounts of this section. With `--tokens`, a caller also has balances from other sections. */
  const balancesOf = (answer: Answer) =>
    listOf(answer, "balances").filter((item) =>
      [joinedAccount, bookedAccount, closedAccount].some(({ id }) => id === item.account_id),
    );

  it("`items` has the fields of a customer in 4.6, as a search shows them to the customer themselves.", async () => {
    const actual = itemOf(await ask());
    const [found] = await suite.search(ann, "customers", word);
    expectSame(actual, { ...found, balances: actual.balances });
    expectFields(actual, { scan_id: "7", date_of_birth: "1990-02-03", stores_count: 2 });
  });
  it("`balances` has each account at whose stores the customer has joined or has a balance entry, also if these add up to nothing. Order: `company`, then `account_id`.", async () =>
    expectSame(balancesOf(await ask()), [
      { account_id: bookedAccount, company: "Apple", balance: 0, stores_count: 0 },
      { account_id: closedAccount, company: "Mango", balance: 10, stores_count: 0 },
      { account_id: joinedAccount, company: "Zest", balance: 3.3, stores_count: 2 },
    ]));
  it("An account's `balance` is over all its stores, soft-deleted ones too.", async () => {
    await suite.feed(deletionOf(sideShop));
    expectFields(balancesOf(await ask()).at(-1), { account_id: joinedAccount, balance: 3.3, stores_count: 1 });
    await suite.feed(sideShop);
  });
  it("Soft-deleted accounts are left out.", async () => {
    const balanceBefore = itemOf(await ask()).balance;
    await suite.feed(deletionOf(closedAccount));
    const answer = await ask();
    expectList(balancesOf(answer), [bookedAccount, joinedAccount], "account_id");
    expectSame(itemOf(answer).balance, balanceBefore);
    await suite.feed(closedAccount);
  });
  it("At most 1,000 in an answer; the others follow through `Link`.", async () => {
    const accounts = many(BALANCES_LIMIT + 2, (index) =>
      make.account({ company: `Zoo ${1_000 + Math.floor(index / 2)}` }),
    );
    const stores = accounts.map((account) => make.store(account));
    for (const lines of [accounts, stores, stores.map((store) => make.membership(store, ann))])
      await suite.feed(...lines);
    const pages = await suite.pages("/api/v1/customer/me", ann.token);
    const balances = pages.map((page) => listOf(page, "balances"));
    expectSame(balances[0]?.length, BALANCES_LIMIT);
    const sortKey = ({ company, id }: Item) => `${company} ${id}`;
    const expected = accounts.toSorted((first, second) => (sortKey(first) < sortKey(second) ? -1 : 1));
    expectSame(idsOf(balances.flat(), "account_id").slice(-accounts.length), expected);
  });
  it("A customer who is not stored, or was erased, is 404.", async () => {
    expectFailure(await ask(eve), 404, "NOT_FOUND");
    await suite.feed(make.caller(ben));
    await suite.feed(deletionOf(make.caller(ben)));
    expectFailure(await ask(ben), 404, "NOT_FOUND");
  });
});

export const entries = section("interface, 4.9", ({ suite, ann, ben, eve, seed, make, it }) => {
  const list = (query: Record<string, string> = {}, caller = ann) => suite.get(caller, "me/entries", query);

  it("`limit` takes 1 to 100.", async () => {
    for (const limit of ["0", "101", "x"]) expectInvalid(await list({ limit }), "limit");
  });

  const [oldTime, middleTime, recentTime] = [time(-3_000), time(-2_000), time(-1_000)];
  const [chain, otherChain] = [seed.account(), seed.account()];
  const shop = seed.store(chain, { name: "Main Street" });
  const closedShop = seed.store(chain, { name: "Closed Street" });
  const springCampaign = seed.campaign(chain, { name: "Spring" });
  for (const caller of [ann, ben]) seed.caller(caller);
  const firstEntry = seed.entry(ann, shop, "10.00", { created_at: oldTime, description: "Welcome" });
  const entryAtClosedShop = seed.entry(ann, closedShop, "-2.50", { created_at: oldTime, campaign_id: springCampaign });
  const tiedEntry = seed.entry(ann, shop, "0.10", { created_at: middleTime });
  const laterTiedEntry = seed.entry(ann, shop, "0.20", { created_at: middleTime });
  const newestEntry = seed.entry(ann, shop, "4.40", { created_at: recentTime });
  const foreignEntry = seed.entry(ann, seed.store(otherChain), "1.00", { created_at: recentTime });
  const allEntries = [foreignEntry, newestEntry, laterTiedEntry, tiedEntry, entryAtClosedShop, firstEntry];

  it("An item has these eight fields. `campaign` is an object like `store`, or null.", async () => {
    const item = itemsOf(await list()).find(({ id }) => id === firstEntry.id);
    expectSame(item, {
      id: firstEntry,
      amount: 10,
      description: "Welcome",
      created_at: oldTime,
      brought_forward: false,
      store: { id: shop.id, name: "Main Street" },
      account_id: chain,
      campaign: null,
    });
  });
  it("`items` lists the caller's balance entries, newest first: by `created_at`, then by `id`.", async () =>
    expectSame(idsOf(await list()), allEntries));
  it("An entry at a soft-deleted store or campaign shows its name all the same. One at a soft-deleted account is left out.", async () => {
    await suite.feed(deletionOf(closedShop), deletionOf(springCampaign));
    const item = itemsOf(await list()).find(({ id }) => id === entryAtClosedShop.id);
    expectFields(item, {
      store: { id: closedShop, name: "Closed Street" },
      campaign: { id: springCampaign, name: "Spring" },
    });
    await suite.feed(deletionOf(otherChain));
    expectSame(idsOf(await list()), allEntries.slice(1));
    await suite.feed(otherChain);
  });
  it("The amounts of all items of an account add up to its `balance` in 4.8.", async () => {
    const cents = itemsOf(await list({ account_id: chain.id })).map(({ amount }) => Math.round(Number(amount) * 100));
    const { balances } = (await suite.get(ann, "me")).body.items as { balances: Item[] };
    const { balance } = balances.find(({ account_id }) => account_id === chain.id) ?? {};
    expectSame(cents.reduce((sum, amount) => sum + amount, 0) / 100, balance);
  });
  it("An entry that is booked while you follow `Link` shifts nothing.", async () => {
    const page = await list({ limit: "2", account_id: chain.id });
    await suite.feed(...["1.00", "-1.00"].map((amount) => make.entry(ann, shop, amount)));
    const pages = [page, ...(await suite.pages(linkOf(page) ?? "", ann.token))].map((answer) => idsOf(answer));
    expectSame(pages, [allEntries.slice(1, 3), allEntries.slice(3, 5), [firstEntry]]);
  });
  it("An `after` of another customer or `account_id` is 422.", async () => {
    expectInvalid(await list({ after: "x" }), "after");
    const page = await list({ limit: "1" });
    const after = new URL(linkOf(page) ?? "").searchParams.get("after") ?? "";
    expectInvalid(await list({ after, account_id: chain.id }), "after");
    expectInvalid(await list({ after }, ben), "after");
  });
  it("No entries: `items` is empty. A caller who is not stored, or was erased, is 404.", async () => {
    expectSame((await list({}, ben)).body.items, []);
    expectFailure(await list({}, eve), 404, "NOT_FOUND");
  });
});
