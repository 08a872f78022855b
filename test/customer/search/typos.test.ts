import { describe, it } from "vitest";
import { FullSearchAnswer } from "../../../src/customer/search/operations.ts";
import { as, feed, mustFeed, trips } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";
import { value } from "../../support/state.ts";

const PATH = "/api/v1/customer/full-search";

/** A word of letters that no other test has, so that it finds what one test has fed; it is never forgiven itself. */
function freshWord(): string {
  const digits = seed.freshId("").replace(/\D/g, "");
  return `x${[...digits].map((digit) => "abcdefghij"[Number(digit)]).join("")}0`;
}

async function ask(query: string, body: Record<string, unknown> = {}, caller = seed.freshId("c")) {
  return as(caller).post(PATH, { query, filter: "customers", ...body });
}

const ids = (records: readonly { id: string }[]) => records.map(({ id }) => id);

describe("a search with a typo", () => {
  it("is made only where every list would be empty", async ({ expect }) => {
    const word = freshWord();
    const account = seed.account({ company: `Starbucks ${word}` });
    const [store, campaign] = [seed.store(account.id), seed.campaign(account.id)];
    const [alike, asked] = [
      seed.customer({ first_name: "Starbucks", last_name: word }),
      seed.customer({ first_name: "Starbuks", last_name: word }),
    ];
    await mustFeed([account, store, campaign, alike]);
    const query = `starbuks ${word}`;

    const answer = await ask(query, { filter: "" });
    const some = await ask(query, { filter: "stores,campaigns" });
    await mustFeed([asked]);
    const exact = await ask(query, { filter: "" });

    expect(FullSearchAnswer.safeParse(answer.body).error).toBeUndefined();
    const { stores, customers, campaigns } = answer.body.items;
    expect([stores, customers, campaigns].map(ids)).toEqual([[store.id], [alike.id], [campaign.id]]);
    expect(answer.body.forgiven).toEqual(["starbuks"]);
    expect(answer.body.items).not.toHaveProperty("forgiven");
    expect([some.body.items.stores, some.body.items.campaigns].map(ids)).toEqual([[store.id], [campaign.id]]);
    expect(exact.body).toEqual({
      status: true,
      items: { stores: [], customers: [expect.objectContaining({ id: asked.id })], campaigns: [] },
    });
  });

  it("takes three round trips, and others one", async ({ expect }) => {
    const word = freshWord();
    await mustFeed([seed.customer({ first_name: "Garcia", last_name: word })]);

    expect(trips(await ask(`garcia ${word}`))).toBe(1);
    expect(trips(await ask(`garica ${word}`))).toBe(3);
    expect(trips(await ask(`garica ${word}`, { typos: false }))).toBe(1);
    expect(trips(await ask(`gari ${word}`))).toBe(1);
    expect(trips(await ask(`qxzkwv ${word}`))).toBe(2);
  });

  it("finds stores by their company, forgiven or beside a forgiven word", async ({ expect }) => {
    const [company, city] = [freshWord(), freshWord()];
    const account = seed.account({ company: `Walgreens ${company}` });
    const stores = [seed.store(account.id), seed.store(account.id, { city: `Garcia ${city}` })];
    await mustFeed([account, ...stores]);
    const found = async (query: string) => ids((await ask(query, { filter: "stores" })).body.stores);

    expect(await found(`walgreesn ${company}`)).toEqual(ids(stores));
    expect(await found(`walgreesn ${city}`)).toEqual([stores[1]?.id]);
    expect(await found(`garica ${company}`)).toEqual([stores[1]?.id]);
  });

  it("takes as many words as fit into a query", async ({ expect }) => {
    const word = freshWord();
    const names = "garcia martin tomson walker robins alvare benson carter dawson".split(" ");
    const customer = seed.customer({ first_name: names.join(" "), last_name: word });
    await mustFeed([customer]);
    const swapped = names.map((name) => name.replace(/^(.)(.)(.)/, "$1$3$2"));

    const answer = await ask(`${swapped.join(" ")} ${word}`);

    expect(ids(answer.body.customers)).toEqual([customer.id]);
    expect(answer.body.forgiven).toEqual(swapped);
  });
});

describe("what a search says that a word was meant for", () => {
  it("is no word of a record that is not shown, or in which the word was not forgiven", async ({ expect }) => {
    const word = freshWord();
    const [caller, blocker] = [seed.customer(), seed.customer({ first_name: "Garciax", last_name: word })];
    // The first needs only one word forgiven, because the other begins a word of it.
    const names = ["Garcia Matrina", "Garcia Martino"];
    const others = names.map((name) => seed.customer({ first_name: name, last_name: word }));
    await mustFeed([caller, blocker, ...others, seed.block(blocker.id, caller.id)]);

    const { body } = await ask(`garica matrin ${word}`, {}, String(caller.id));

    expect(body.meant).toEqual({ garica: ["garcia"], matrin: ["martino"] });
  });
});

describe("a vocabulary", () => {
  const holds = async (noun: string, word: string) =>
    (await value(`SELECT count(*) FROM ${noun}_vocabulary WHERE word = ?`, word)) === 1;

  it("forgets the name of an erased customer, unless somebody else has it", async ({ expect }) => {
    const [own, shared] = [freshWord(), freshWord()];
    const [one, other] = [seed.customer({ first_name: own, last_name: shared }), seed.customer({ last_name: shared })];
    await mustFeed([one, other]);
    const before = [await holds("customer", own), await holds("customer", shared)];

    await mustFeed([seed.deleted("customer", { id: one.id })]);

    expect(before).toEqual([true, true]);
    expect([await holds("customer", own), await holds("customer", shared)]).toEqual([false, true]);
    await mustFeed([seed.deleted("customer", { id: other.id })]);
    expect(await holds("customer", shared)).toBe(false);
  });

  it("has the words of stores, campaigns and companies, and their new ones", async ({ expect }) => {
    const words = Array.from({ length: 6 }, freshWord);
    const [store, campaign, company, newStore, newCampaign, newCompany] = words;
    const held = () => Promise.all(words.map((word) => holds("merchant", word)));
    const account = seed.account({ company });
    const records = [seed.store(account.id, { name: store }), seed.campaign(account.id, { name: campaign })];
    const renamed = [newStore, newCampaign].map((name, index) => ({ ...records[index], name }));

    await mustFeed([account, ...records]);
    const before = await held();
    await mustFeed([{ ...account, company: newCompany }, ...renamed]);

    expect(before).toEqual([true, true, true, false, false, false]);
    expect((await held()).slice(3)).toEqual([true, true, true]);
  });

  it("has no word of a request that is refused, nor of a line that a later one replaces", async ({ expect }) => {
    const [refused, replaced, kept] = [freshWord(), freshWord(), freshWord()];
    const customer = seed.customer({ first_name: replaced });

    const { status } = await feed([seed.customer({ first_name: refused }), seed.store("0815", { name: refused })]);
    await mustFeed([customer, { ...customer, first_name: kept }]);

    expect(status).toBe(422);
    expect(await Promise.all([refused, replaced, kept].map((word) => holds("customer", word)))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it("leaves out what no word can be meant for: short words, and those that begin with a digit", async ({ expect }) => {
    await mustFeed([seed.customer({ first_name: "Qyx 4711qyxqyx", last_name: "Qyxq" })]);

    expect(await Promise.all(["qyx", "4711qyxqyx", "qyxq"].map((word) => holds("customer", word)))).toEqual([
      false,
      false,
      true,
    ]);
  });
});
