import { expectFailure, expectFields, expectList, expectSame } from "../expect.ts";
import { type Answer, type Item, listOf } from "../http.ts";
import { account, customer, entry, membership, store } from "../lines.ts";
import type { Section, Suite } from "../suite.ts";

export async function me(suite: Suite): Promise<Section> {
  const { ann, ben, eve } = await suite.callers();
  const { joined, booked, deleted } = suite.accountIds("joined booked deleted");
  const { first, second, third, fourth } = suite.ids("first second third fourth");
  const word = suite.word();
  const ask = (caller = ann) => suite.get(caller, "me");
  const itemOf = ({ body }: Answer) => (body.items ?? {}) as Item;
  /** The balances at the accounts of this section. With `--tokens`, a caller also has balances from other sections. */
  const balancesOf = (answer: Answer) =>
    listOf(answer, "balances").filter((item) => [joined, booked, deleted].includes(String(item.account_id)));

  return {
    section: "interface, 4.8",
    lines: [
      account(joined, { company: "Zest" }),
      account(booked, { company: "Apple" }),
      account(deleted, { company: "Mango" }),
      store(first, joined),
      store(second, joined),
      store(third, booked),
      store(fourth, deleted),
      customer(ann.id, `Ann ${word}`, { scan_id: "7", date_of_birth: "1990-02-03" }),
      membership(first, ann.id),
      membership(second, ann.id),
      entry(suite.id("entry"), ann.id, first, "1.10"),
      entry(suite.id("entry"), ann.id, second, "2.20"),
      entry(suite.id("entry"), ann.id, third, "5.00"),
      entry(suite.id("entry"), ann.id, third, "-5.00"),
      entry(suite.id("entry"), ann.id, fourth, "10.00"),
    ],
    rulesWithFeeding: {
      "`items` has the fields of a customer in 4.6, as a search shows them to the customer themselves, and the array `balances`.":
        async () => {
          const actual = itemOf(await ask());
          const [found] = await suite.search(ann, "customers", word);
          expectSame(actual, { ...found, balances: actual.balances });
          expectFields(actual, { scan_id: "7", date_of_birth: "1990-02-03", stores_count: 2 });
        },
      "`balances` has each account at whose stores the customer has joined or has a balance entry, also if these add up to nothing. Order: `company`, then `account_id`.":
        async () => {
          expectSame(balancesOf(await ask()), [
            { account_id: booked, company: "Apple", balance: 0, stores_count: 0 },
            { account_id: deleted, company: "Mango", balance: 10, stores_count: 0 },
            { account_id: joined, company: "Zest", balance: 3.3, stores_count: 2 },
          ]);
        },
      "An account's `balance` is over all its stores, soft-deleted ones too.": async () => {
        await suite.feed({ record: "store", id: second, deleted: true });
        expectFields(balancesOf(await ask()).at(-1), { account_id: joined, balance: 3.3, stores_count: 1 });
        await suite.feed(store(second, joined));
      },
      "Soft-deleted accounts are left out.": async () => {
        const balanceBefore = itemOf(await ask()).balance;
        await suite.feed({ record: "account", id: deleted, deleted: true });
        const answer = await ask();
        expectList(balancesOf(answer), [booked, joined], "account_id");
        expectSame(itemOf(answer).balance, balanceBefore);
        await suite.feed(account(deleted, { company: "Mango" }));
      },
      "A customer who is not stored, or was erased, is 404.": async () => {
        expectFailure(await ask(eve), 404, "NOT_FOUND");
        await suite.feed(customer(ben.id));
        await suite.feed({ record: "customer", id: ben.id, deleted: true });
        expectFailure(await ask(ben), 404, "NOT_FOUND");
      },
    },
  };
}
