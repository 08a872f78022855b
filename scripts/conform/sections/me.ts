import { expectFailure, expectFields, expectList, expectSame } from "../expect.ts";
import { type Answer, type Item, idsOf, listOf } from "../http.ts";
import { deletionOf, many } from "../lines.ts";
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

  it("`items` has the fields of a customer in 4.6, as a search shows them to the customer themselves, and the array `balances`.", async () => {
    const actual = itemOf(await ask());
    const [found] = await suite.search(ann, "customers", word);
    expectSame(actual, { ...found, balances: actual.balances });
    expectFields(actual, { scan_id: "7", date_of_birth: "1990-02-03", stores_count: 2 });
  });
  it("`balances` has each account at whose stores the customer has joined or has a balance entry, also if these add up to nothing. Order: `company`, then `account_id`.", async () => {
    expectSame(balancesOf(await ask()), [
      { account_id: bookedAccount, company: "Apple", balance: 0, stores_count: 0 },
      { account_id: closedAccount, company: "Mango", balance: 10, stores_count: 0 },
      { account_id: joinedAccount, company: "Zest", balance: 3.3, stores_count: 2 },
    ]);
  });
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
  it('At most 1,000 in an answer; the others follow through `Link: rel="next"`.', async () => {
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
