import { linkOf } from "../../lib/call.ts";
import { expectFailure, expectFields, expectInvalid, expectSame } from "../expect.ts";
import { type Answer, type Item, idsOf, itemsOf } from "../http.ts";
import { account, campaign, customer, deleted, entry, store, time } from "../lines.ts";
import type { Section, Suite } from "../suite.ts";

const PATH = "me/entries";

/** docs/contract/interface.md, 4.9 */
export async function entries(suite: Suite): Promise<Section> {
  const { ann, ben, eve } = await suite.callers();
  const { chain, other } = suite.accountIds("chain other");
  const { shop, closed, elsewhere, spring } = suite.ids("shop closed elsewhere spring");
  const { first, tied, tiedToo, newest, gone, foreign } = suite.ids("first tied tiedToo newest gone foreign");
  const [old, middle, recent] = [time(-3_000), time(-2_000), time(-1_000)];
  const list = (query: Record<string, string> = {}, caller = ann) => suite.get(caller, PATH, query);
  const next = async (answer: Answer, caller = ann) =>
    suite.http.send(linkOf(answer) ?? "nowhere", { token: caller.token });
  const all = [foreign, newest, tiedToo, tied, gone, first];

  return {
    cited: "interface, 4.9",
    reads: {
      "`limit` | 1 to 100 | no, 50 | the most items of a page": async () => {
        for (const limit of ["0", "101", "x"]) expectInvalid(await list({ limit }), "limit");
      },
    },
    lines: [
      account(chain),
      account(other),
      store(shop, chain, { name: "Main Street" }),
      store(closed, chain, { name: "Closed Street" }),
      store(elsewhere, other),
      campaign(spring, chain, { name: "Spring" }),
      customer(ann.id),
      customer(ben.id),
      entry(first, ann.id, shop, "10.00", { created_at: old, description: "Welcome" }),
      entry(gone, ann.id, closed, "-2.50", { created_at: old, campaign_id: spring }),
      entry(tied, ann.id, shop, "0.10", { created_at: middle }),
      entry(tiedToo, ann.id, shop, "0.20", { created_at: middle }),
      entry(newest, ann.id, shop, "4.40", { created_at: recent }),
      entry(foreign, ann.id, elsewhere, "1.00", { created_at: recent }),
    ],
    feeds: {
      "An item has these eight fields. `campaign` is an object like `store`, or null.": async () => {
        const item = itemsOf(await list()).find(({ id }) => id === first);
        expectSame(item, {
          ...{ id: first, amount: 10, description: "Welcome", created_at: old, brought_forward: false },
          ...{ store: { id: shop, name: "Main Street" }, account_id: chain, campaign: null },
        });
      },
      "`items` lists the caller's balance entries, newest first: by `created_at`, then by `id`, both descending.":
        async () => expectSame(idsOf(await list()), all),
      "An entry at a soft-deleted store or campaign shows its name all the same. One at a soft-deleted account is left out.":
        async () => {
          await suite.feed(deleted("store", { id: closed }), deleted("campaign", { id: spring }));
          const item = itemsOf(await list()).find(({ id }) => id === gone);
          expectFields(item, {
            store: { id: closed, name: "Closed Street" },
            campaign: { id: spring, name: "Spring" },
          });
          await suite.feed(deleted("account", { id: other }));
          expectSame(idsOf(await list()), all.slice(1));
          await suite.feed(account(other));
        },
      "The amounts of all items of an account add up to its `balance` in 4.8.": async () => {
        const cents = itemsOf(await list({ account_id: chain })).map(({ amount }) => Math.round(Number(amount) * 100));
        const { balances } = (await suite.get(ann, "me")).body.items as { balances: Item[] };
        const { balance } = balances.find(({ account_id }) => account_id === chain) ?? {};
        expectSame(cents.reduce((sum, one) => sum + one, 0) / 100, balance);
      },
      'A page follows through `Link: rel="next"`. An entry that is booked meanwhile shifts nothing.': async () => {
        const page = await list({ limit: "2", account_id: chain });
        await suite.feed(...["1.00", "-1.00"].map((amount) => entry(suite.id("meanwhile"), ann.id, shop, amount)));
        const second = await next(page);
        expectSame([idsOf(page), idsOf(second)], [all.slice(1, 3), all.slice(3, 5)]);
        const third = await next(second);
        expectSame([idsOf(third), linkOf(third)], [[first], undefined]);
      },
      "An `after` that no link gave, or of another customer or `account_id`, is 422.": async () => {
        expectInvalid(await list({ after: "x" }), "after");
        const page = await list({ limit: "1" });
        const after = new URL(linkOf(page) ?? "").searchParams.get("after") ?? "";
        expectInvalid(await list({ after, account_id: chain }), "after");
        expectInvalid(await list({ after }, ben), "after");
      },
      "No entries: `items` is empty. A caller who is not stored, or was erased, is 404.": async () => {
        expectSame((await list({}, ben)).body.items, []);
        expectFailure(await list({}, eve), 404, "NOT_FOUND");
      },
    },
  };
}
