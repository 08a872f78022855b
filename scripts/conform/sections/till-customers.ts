import { expectFailure, expectInvalid, expectList, expectSame } from "../expect.ts";
import { type Item, itemsOf } from "../http.ts";
import { deletionOf, many } from "../lines.ts";
import { section } from "../suite.ts";

const [MOST_HOLDERS, MOST_BALANCES] = [20, 1_500];

export const tillCustomers = section("till, 2", ({ suite, ann, ben, eve, seed, make, it }) => {
  const [card, otherCard, sharedCard, sameCard, busyCard] = many(5, () => suite.word());
  const path = "/api/v1/till/customers/find";
  const find = async (body: Item, accounts?: readonly string[]) =>
    suite.http.send(path, { token: await suite.tokens.till(accounts), body: JSON.stringify(body) });
  const ask = (scan_id?: string) => find({ scan_id });

  it("No `scan_id`, or an empty one: 422.", async () => {
    for (const card of [undefined, ""]) expectInvalid(await ask(card), "scan_id");
  });
  it("`POST /customers/find` takes a till's token, which neither feeds nor exports.", async () => {
    const token = await suite.tokens.till();
    for (const other of ["/api/v1/feed", "/api/v1/customer/me"])
      expectFailure(await suite.http.send(other, { token }), 403, "FORBIDDEN");
    const body = JSON.stringify({ scan_id: card });
    const otherTokens = [ann.token, await suite.tokens.feed(), await suite.tokens.export()];
    for (const token of otherTokens) expectFailure(await suite.http.send(path, { token, body }), 403, "FORBIDDEN");
  });

  const shop = seed.store(seed.account({ company: "Apple" }));
  seed.caller(ann, "Ann Able", { scan_id: card });
  seed.caller(ben, "Ben Baker", { scan_id: card });
  seed.caller(eve, "Eve Evans", { scan_id: otherCard });
  seed.entry(ann, shop, "12.30");
  const erasedCustomer = seed.customer("Gone Girl", { scan_id: card });
  const holderIds = many(MOST_HOLDERS, () => suite.id("holder"));
  for (const id of holderIds.toReversed()) seed.customer("Hal Holder", { id, scan_id: sharedCard });
  for (const [index, id] of holderIds.entries()) seed.entry({ id }, shop, `${index}.25`);
  many(MOST_HOLDERS + 1, () => seed.customer("Zoe Zero", { scan_id: sameCard }));

  it("`items` are the customers with exactly that `scan_id`, by `id`: `id`, `first_name`, `last_name`, and `balances` as in interface, 4.8, at the accounts of the token. Erased customers are left out.", async () => {
    await suite.feed(deletionOf(erasedCustomer));
    const { balances } = (await suite.get(ann, "me")).body.items as Item;
    expectSame(itemsOf(await ask(card)), [
      { id: ann.id, first_name: "Ann", last_name: "Able", balances },
      { id: ben.id, first_name: "Ben", last_name: "Baker", balances: [] },
    ]);
    expectSame(
      itemsOf(await find({ scan_id: card }, [])).map(({ balances: shown }) => shown),
      [[], []],
    );
    const shownCustomers = itemsOf(await ask(sharedCard));
    expectList(shownCustomers, holderIds);
    const shownBalances = shownCustomers.map(({ balances }) => (balances as Item[]).map(({ balance }) => balance));
    const expectedBalances = many(MOST_HOLDERS, (index) => [index + 0.25]);
    expectSame(shownBalances, expectedBalances);
  });
  it("More than 20 customers have the card, or they have more than 1,500 balances together: 422.", async () => {
    expectInvalid(await ask(sameCard), "scan_id");
    const accounts = many(MOST_BALANCES / MOST_HOLDERS, () => make.account());
    const stores = accounts.map((account) => make.store(account));
    const holders = many(MOST_HOLDERS, () => make.customer("Bo Busy", { scan_id: busyCard }));
    await suite.feed(...accounts, ...stores, ...holders);
    await suite.feed(...holders.flatMap((holder) => stores.map((store) => make.entry(holder, store, "1.00"))));
    const shownBalances = itemsOf(await ask(busyCard)).map(({ balances }) => (balances as Item[]).length);
    expectSame(shownBalances, Array(MOST_HOLDERS).fill(stores.length));
    await suite.feed(make.entry(holders[0], shop, "1.00"));
    expectInvalid(await ask(busyCard), "scan_id");
  });
  it("Nobody has the card: 404.", async () => expectFailure(await ask(`${card}x`), 404, "NOT_FOUND"));
});
