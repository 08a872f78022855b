import { beforeAll, describe, it } from "vitest";
import { FullSearchAnswer } from "../../../src/customer/search/operations.ts";
import { wordsOf } from "../../../src/values/words.ts";
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

/** Customers with these names, each beside a word of its own. */
function named(cases: readonly (readonly [why: string, query: string, name: string])[]) {
  return cases.map(([why, query, name]) => {
    const word = freshWord();
    return { why, query, name, word, customer: seed.customer({ first_name: name, last_name: word }) };
  });
}

describe("a search with a typo", () => {
  // Each kind of typo in the first, a middle and the last letter, as far as the first letter stays.
  const forgiven = named([
    ["a letter more, after the first", "gharcia", "García"],
    ["the first letter twice", "ggarcia", "García"],
    ["a letter more in the middle", "garrcia", "García"],
    ["a letter more before the last", "garcixa", "García"],
    ["a letter more at the end", "garciae", "García"],
    ["another last letter, of a longer word", "maris", "Marina"],
    ["the second letter left out", "grcia", "García"],
    ["a middle letter left out", "garca", "García"],
    ["another second letter", "gercia", "García"],
    ["another middle letter", "gartia", "García"],
    ["another last letter", "garcie", "García"],
    ["the second and third letter swapped", "gracia", "García"],
    ["middle letters swapped", "garica", "García"],
    ["the last letters swapped", "garcai", "García"],
    ["the first letters the same and swapped with the next", "alaron", "Aalron"],
    ["a beginning with a typo", "gracian", "Garcianello"],
    ["a long word", "christophre", "Christopher"],
    ["a long beginning", "chrsitophe", "Christophers"],
    ["five letters", "smiht", "Smith"],
    ["a word of four letters, meant by five", "annan", "Anna"],
    ["Greek", "οδισσεας", "Οδυσσέας"],
    ["Cyrillic", "хелбный", "Хлебный"],
    ["Han", "日本語京東", "日本語東京"],
    ["letters beyond the basic plane", "𐐨𐐪𐐩𐐫𐐬", "𐐨𐐩𐐪𐐫𐐬"],
    ["a digit where a letter was meant", "garciab", "Garcia1"],
  ]);
  const unforgiven = named([
    ["another first letter", "karcia", "Garcia"],
    ["the first two letters swapped", "agrcia", "Garcia"],
    ["the first letter left out", "arcia", "Garcia"],
    ["a letter more before the first", "agarcia", "Garcia"],
    ["two typos", "gracai", "Garcia"],
    ["one letter moved by two", "grcaia", "Garcia"],
    ["two letters left out", "garc", "Garcoa"],
    ["a word of four letters", "smit", "Simth"],
    ["a word with a digit", "garica1", "Garcia1"],
    ["digits", "12354", "12345"],
  ]);

  beforeAll(() => mustFeed([...forgiven, ...unforgiven].map(({ customer }) => customer)));

  it.for(forgiven)("finds, for $why, by $query who is called $name", async ({ query, word, customer }, { expect }) => {
    const { body } = await ask(`${query} ${word}`);

    expect(ids(body.customers)).toEqual([customer.id]);
    expect(body.forgiven).toEqual(wordsOf(query));
  });

  it.for(unforgiven)(
    "does not find, for $why, by $query who is called $name",
    async ({ query, name, word }, { expect }) => {
      const isBeginning = name.toLowerCase().startsWith(query);

      const { body } = await ask(`${query} ${word}`);

      expect(ids(body.customers)).toHaveLength(isBeginning ? 1 : 0);
      expect(body).not.toHaveProperty("forgiven");
    },
  );

  it("finds a word that lacks the last letter, and none that lacks two", async ({ expect }) => {
    const word = freshWord();
    const names = ["Smith", "Smit", "Smithson"].map((name) => seed.customer({ first_name: name, last_name: word }));
    await mustFeed(names);

    const { body } = await ask(`smithe ${word}`);

    expect(ids(body.customers)).toEqual([names[0]?.id, names[2]?.id]);
  });

  it("finds what is as asked, and only that, where there is any", async ({ expect }) => {
    const word = freshWord();
    const [asked, alike] = [
      seed.customer({ first_name: "Garica", last_name: word }),
      seed.customer({ first_name: "Garcia", last_name: word }),
    ];
    await mustFeed([asked, alike]);

    const { body } = await ask(`garica ${word}`);

    expect(body).toEqual({ status: true, stores: [], customers: [expect.objectContaining({ id: asked.id })] });
  });

  it("lists records with fewer forgiven words first, then in the order first stored, and twenty at most", async ({
    expect,
  }) => {
    const word = freshWord();
    const two = Array.from({ length: 15 }, () => seed.customer({ first_name: "Maria Garcias", last_name: word }));
    const one = Array.from({ length: 10 }, () => seed.customer({ first_name: "Maria Gracias", last_name: word }));
    await mustFeed([...two, ...one]);

    const { body } = await ask(`mraia gracias ${word}`);

    expect(ids(body.customers)).toEqual(ids([...one, ...two.slice(0, 10)] as { id: string }[]));
    expect(body.forgiven).toEqual(["mraia", "gracias"]);
  });

  it("names only words that were forgiven in a record that is shown", async ({ expect }) => {
    const word = freshWord();
    const shown = Array.from({ length: 20 }, () => seed.customer({ first_name: "Maria Gracias", last_name: word }));
    await mustFeed([seed.customer({ first_name: "Maria Garcias", last_name: word }), ...shown]);

    const { body } = await ask(`mraia gracias ${word}`);

    expect(ids(body.customers)).toEqual(ids(shown as { id: string }[]));
    expect(body.forgiven).toEqual(["mraia"]);
  });

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

  it("forgives nothing where the body says so, and takes a JSON boolean only", async ({ expect }) => {
    const word = freshWord();
    const customer = seed.customer({ first_name: "Garcia", last_name: word });
    await mustFeed([customer]);

    expect((await ask(`garica ${word}`, { typos: false })).body).toEqual({ status: true, stores: [], customers: [] });
    expect(ids((await ask(`garica ${word}`, { typos: true })).body.customers)).toEqual([customer.id]);
    for (const typos of ["false", 0, null, "", []]) {
      const answer = await ask("garica", { typos });
      expect(answer.status).toBe(422);
      expect(answer.body.messages).toEqual({ typos: ["must be true or false"] });
    }
  });

  it("shows no more than a search without: no birth date of a stranger, and nobody who has blocked the caller", async ({
    expect,
  }) => {
    const word = freshWord();
    const [caller, blocker, stranger] = [
      seed.customer(),
      seed.customer({ first_name: "Garcia", last_name: word }),
      seed.customer({ first_name: "Garcia", last_name: word, date_of_birth: "1990-02-03", scan_id: "S1", city: "Ada" }),
    ];
    await mustFeed([caller, blocker, stranger, seed.block(blocker.id, caller.id)]);

    const { body } = await ask(`garica ${word}`, {}, String(caller.id));

    expect(body.customers).toEqual([
      expect.objectContaining({ id: stranger.id, date_of_birth: null, scan_id: "", city: "" }),
    ]);
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
  it("is the words of shown records, in both variants, those of the most records first, then by code point", async ({
    expect,
  }) => {
    const word = freshWord();
    const names = ["Garcias", "Garcia", "Garciab", "Garcia Garciab", "Garciab", "Martin"];
    await mustFeed(names.map((name) => seed.customer({ first_name: name, last_name: word })));

    const { body } = await ask(`garica ${word}`);
    const all = await ask(`garica ${word}`, { filter: undefined });

    expect(body.meant).toEqual({ garica: ["garciab", "garcia", "garcias"] });
    expect(all.body.meant).toEqual(body.meant);
    expect(Object.keys(all.body)).toEqual(["status", "items", "forgiven", "meant"]);
  });

  it("is five words at most, for each word that was forgiven", async ({ expect }) => {
    const word = freshWord();
    const names = [..."abcdefg"].map((letter) => `Garcia${letter} Martin`);
    await mustFeed(names.map((name) => seed.customer({ first_name: name, last_name: word })));

    const { body } = await ask(`garica matrin ${word}`);

    expect(body.meant).toEqual({ garica: [..."abcde"].map((letter) => `garcia${letter}`), matrin: ["martin"] });
  });

  it("is of stores and campaigns too, and of the names of their companies", async ({ expect }) => {
    const word = freshWord();
    const account = seed.account({ company: "Blumencafe" });
    const stores = ["East", "West"].map((name) => seed.store(account.id, { name: `${name} ${word}` }));
    await mustFeed([account, ...stores, seed.campaign(account.id, { name: `${word} Blumencade` })]);

    const { body } = await ask(`blumenacfe ${word}`, { filter: undefined });

    expect(body.items.stores).toHaveLength(2);
    expect(body.meant).toEqual({ blumenacfe: ["blumencafe"] });
  });

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

  it("is left out where nothing was forgiven", async ({ expect }) => {
    expect((await ask(freshWord())).body).not.toHaveProperty("meant");
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
