import { linkOf } from "../../lib/call.ts";
import { expectFailure, expectFields, expectInvalid, expectSame } from "../expect.ts";
import { type Answer, type Item, idsOf, itemsOf } from "../http.ts";
import { deletionOf, time } from "../lines.ts";
import { section } from "../suite.ts";

const PATH = "me/entries";

export const entries = section("interface, 4.9", ({ suite, ann, ben, eve, seed, make, it }) => {
  const list = (query: Record<string, string> = {}, caller = ann) => suite.get(caller, PATH, query);

  it("`limit` | 1 to 100 | no, 50 | the most items of a page", async () => {
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
  const nextPage = async (answer: Answer, caller = ann) =>
    suite.http.send(linkOf(answer) ?? "nowhere", { token: caller.token });

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
  it("`items` lists the caller's balance entries, newest first: by `created_at`, then by `id`, both descending.", async () =>
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
  it('A page follows through `Link: rel="next"`. An entry that is booked meanwhile shifts nothing.', async () => {
    const page = await list({ limit: "2", account_id: chain.id });
    await suite.feed(...["1.00", "-1.00"].map((amount) => make.entry(ann, shop, amount)));
    const second = await nextPage(page);
    expectSame([idsOf(page), idsOf(second)], [allEntries.slice(1, 3), allEntries.slice(3, 5)]);
    const third = await nextPage(second);
    expectSame([idsOf(third), linkOf(third)], [[firstEntry], undefined]);
  });
  it("An `after` that no link gave, or of another customer or `account_id`, is 422.", async () => {
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
