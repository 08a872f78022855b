import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterAll, describe, it } from "vitest";
import { DERIVED } from "../../../src/db/derived/index.ts";
import { ALL_KEYS, findDifferences } from "../../../src/db/derived/recount.ts";
import { as, mustFeed } from "../../support/api.ts";
import { setClock } from "../../support/clock.ts";
import { hasAllRuns, propertyRunsInNode } from "../../support/property-runs.ts";
import * as seed from "../../support/seed.ts";
import { rows } from "../../support/state.ts";
import { type Found, type Query, WHOM, World, words } from "./model.ts";

const TODAY = "2026-05-10";

const wordsOf = (text: string) => text.split(" ");
/** Words of every kind of letter and digit, and what is none. */
const ODD = [
  ...wordsOf("ann Anna ANAÏS José jose Jose\u0301 Zürich zur ma mar Mary MARÍA Straße strasse Łódź lodz øre ΟΔΟΣ οδος"),
  ...wordsOf("Κώστας ΚΩΣ 日本語 日本 Café CAFE cafe\u0301s 12 123 80202 ½ x² Ⅷ ﬁsh Ǆ İstanbul ıstanbul хлеб Хлебный"),
  ...wordsOf(
    'हिन्दी 김치 O\'Brien OR NEAR AND NOT a-b +165 +1 * "quoted" 🎉party ſo K µ so k μ Ꭰ ꭰ Ა ა NULL words:x {y}',
  ),
];
/** Words that are alike, so that they are forgiven for each other. */
const ALIKE = [
  "garcia garica gracia garcía garcias mari maria marina maris marias marsi smith smithe smit smiths smitten",
  "abcde abced abcd abcdef abcxe abbcde abcde1 abcd9 12345 12346 aaaaa aaaa aaaaaa starbucks starbuckses",
  "οδυσσέας οδυσσεας οδυσεας οδυσσεα ΟΔΥΣΣΕΥΣ хлебный хлебнй хелбный хлебныи",
  "日本語東京 日本語京東 日本語東 日本東京都 𐐨𐐩𐐪𐐫𐐬 𐐨𐐪𐐩𐐫𐐬 𐐨𐐩𐐪𐐫𐐭 christopher christophers christohper",
].map(wordsOf);
const SEPARATORS = [" ", " ", "  ", "-", ", ", "'", "_", "\u00a0", "/", "*", '"', ":", " + "];

/** The texts by which records are found, besides their account's company. */
const SEARCHED: Record<string, string[]> = {
  account: ["company"],
  store: ["name", "address_line_1", "city", "zip"],
  campaign: ["name", "campaign_description"],
  customer: ["first_name", "last_name"],
};

type Line = Record<string, unknown>;

/** What a generated program and its searches are made of. */
function chooser(g: fc.GeneratorValue) {
  const one = <T>(items: readonly T[]): T => g(() => fc.constantFrom(...items));
  const count = (min: number, max: number) => g(() => fc.integer({ min, max }));
  const many = (min: number, max: number) => Array.from({ length: count(min, max) });
  const some = <T>(items: readonly T[], most: number) => g(() => fc.shuffledSubarray([...items])).slice(0, most);
  const vocabulary = some([ODD, ...ALIKE], 2)
    .concat(one(ALIKE))
    .flat();

  /** A word of the vocabulary, often with a typo. */
  const word = () => {
    const letters = [...one(vocabulary)];
    const [at, letter] = [count(0, letters.length - 1), one([..."abcdeirstzσ東ы𐐩1"])];
    const edit = one(["none", "none", "none", "add", "leave out", "replace", "swap"]);
    if (edit === "add") letters.splice(at, 0, letter);
    if (edit === "leave out") letters.splice(at, 1);
    if (edit === "replace") letters[at] = letter;
    if (edit === "swap") letters.splice(at, 2, ...letters.slice(at, at + 2).reverse());
    return letters.join("");
  };
  const text = (min = 0) => many(min, 3).map(word).join(one(SEPARATORS));
  return { one, count, many, some, word, text };
}
type Chooser = ReturnType<typeof chooser>;

function program({ one, many, text, word }: Chooser): Line[] {
  const accounts = many(1, 4).map(() => seed.account({ company: text(), core_tenant_id: "secret", type: 7 }));
  const stores = many(1, 30).map(() =>
    seed.store(one(accounts).id, { name: text(), address_line_1: text(), city: text(), zip: text() }),
  );
  const campaigns = many(0, 8).map(() =>
    seed.campaign(one(accounts).id, {
      name: text(),
      campaign_description: text(),
      campaign_start_date: one([TODAY, "2026-05-11"]),
      campaign_end_date: one([null, TODAY, "2026-05-09"]),
      status: one([0, 1, 1]),
    }),
  );
  const customers = many(2, 45).map(() =>
    seed.customer({ first_name: text(), last_name: word(), date_of_birth: "2000-01-01", scan_id: "s", zip: "z" }),
  );
  const pairs = (most: number) =>
    many(0, most)
      .map(() => [one(customers).id, one(customers).id] as const)
      .filter(([left, right]) => left !== right);
  return [
    ...[...accounts, ...stores, ...campaigns, ...customers],
    ...many(10, 40).map(() => seed.membership(one(stores).id, one(customers).id)),
    ...many(0, campaigns.length > 0 ? 10 : 0).map(() => seed.registration(one(campaigns).id, one(customers).id)),
    ...pairs(40).map(([left, right]) => seed.friendship(left, right, one([0, 1, 1]))),
    ...pairs(6).map(([by, blocked]) => seed.block(by, blocked)),
    ...many(0, 4).map(() => seed.entry(one(customers).id, one(stores).id, one(["0.10", "-3.00", "12.34"]))),
  ];
}

/** Some of the lines with other texts, some deleted, and some of those written again. */
function changes({ one, some, text }: Chooser, lines: readonly Line[]): Line[][] {
  const changeable = lines.filter(({ record }) => String(record) in SEARCHED);
  const changed = some(changeable, 8).map((line) => ({ ...line, [one(SEARCHED[String(line.record)] ?? [])]: text() }));
  const deleted = some(changeable, 8);
  const back = deleted.filter(() => one([true, false]));
  return [changed, deleted.map(({ record, id }) => ({ record, id, deleted: true })), back];
}

/** Words and beginnings of words, or short beginnings of many words of one record and its account. */
function queryFor({ one, count, many, some, word }: Chooser, lines: readonly Line[]): string {
  const cut = (whole: string) => [...whole].slice(0, count(1, 6)).join("");
  if (one([true, true, false]))
    return many(1, 4)
      .map(() => one([word(), word(), cut(word())]))
      .join(one(SEPARATORS));
  const record = one(lines.filter((line) => String(line.record) in SEARCHED));
  const account = lines.find((line) => line.record === "account" && line.id === record.account_id);
  const held = [record, account ?? {}].flatMap((line) =>
    Object.values(SEARCHED)
      .flat()
      .map((field) => line[field]),
  );
  const beginnings = words(held.filter(Boolean).join(" ")).map((one) => [...one].slice(0, count(1, 3)).join(""));
  return ["---", ...some(beginnings, 12), ...many(0, 1).map(word)].join(" ");
}

const counts = { queries: 0, forgiven: 0, several: 0, forgivenFriends: 0 };

async function compare(world: World, query: Query, caller: string): Promise<void> {
  Object.assign(env, { CUSTOMER_SEARCH: query.whom });
  const { body } = await as(caller).post("/api/v1/customer/full-search", { query: query.query, typos: query.typos });
  const ids = (records: readonly Line[]) => records.map(({ id }) => id);
  const lists = ({ stores, customers, campaigns }: Record<"stores" | "customers" | "campaigns", Line[]>) =>
    JSON.stringify(sorted([ids(stores), customers, ids(campaigns)]));
  const model = world.find(query, caller, TODAY);
  const besides = ({ forgiven = [], meant = {} }: Partial<Found>) => JSON.stringify(sorted([forgiven, meant]));
  const [found, expected] = [`${lists(body.items)} ${besides(body)}`, `${lists(model)} ${besides(model)}`];
  if (found !== expected) throw new Error(`${JSON.stringify(query)} found ${found} instead of ${expected}`);
  for (const { account } of [...body.items.stores, ...body.items.campaigns]) {
    if (account.company !== world.accounts.get(account.id)?.company || "core_tenant_id" in account)
      throw new Error(`the account of a result is ${JSON.stringify(account)}`);
  }
  counts.queries += 1;
  if (model.forgiven.length > 0) counts.forgiven += 1;
  if (model.forgiven.length > 1) counts.several += 1;
  if (query.whom === "friends" && model.forgiven.length > 0 && model.customers.length > 0) counts.forgivenFriends += 1;
}

/** The same with the fields of objects in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const byName = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(byName.map(([name, inner]) => [name, sorted(inner)]));
}

/** The vocabularies hold the words that are left, and that of customers no others. */
async function expectVocabularies(): Promise<void> {
  for (const derived of DERIVED.filter(({ table }) => table.endsWith("_vocabulary"))) {
    const found = await rows(findDifferences(derived, ALL_KEYS));
    if (found.length > 0) throw new Error(`${derived.name}: ${JSON.stringify(found)}`);
  }
}

const runs = propertyRunsInNode(8);

afterAll(() => Object.assign(env, { CUSTOMER_SEARCH: "all" }));

describe("a search, against brute force", () => {
  it("finds the same records and fields in the same order, forgives the same words and takes them for the same, through every change", async ({
    expect,
  }) => {
    await setClock(`${TODAY} 12:00:00`);
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (g) => {
        const choose = chooser(g);
        const lines = program(choose);
        const callers = lines.filter(({ record }) => record === "customer").map(({ id }) => String(id));
        const world = new World();
        try {
          for (const step of [lines, ...changes(choose, lines)].filter((step) => step.length > 0)) {
            await mustFeed(step);
            world.apply(step);
            await expectVocabularies();
            for (let count = 0; count < 6; count += 1) {
              const query = [...queryFor(choose, lines)].slice(0, 100).join("");
              if ([...query.trim()].length < 3) continue;
              const asked = { query, typos: choose.one([true, true, true, false]), whom: choose.one(WHOM) };
              await compare(world, asked, choose.one(callers));
            }
          }
        } finally {
          // The next program must not find this one, nor have its words as neighbours of its own.
          const gone = lines.filter(({ record }) => String(record) in SEARCHED);
          await mustFeed(gone.map(({ record, id }) => ({ record, id, deleted: true })));
          await env.DB.exec("DELETE FROM merchant_vocabulary");
        }
      }),
      { ...runs, endOnFailure: true },
    );

    // The comparison shows little where nothing is forgiven.
    if (!hasAllRuns) return;
    expect(counts.forgiven).toBeGreaterThan(runs.numRuns);
    expect(counts.several).toBeGreaterThan(runs.numRuns / 5);
    expect(counts.forgivenFriends).toBeGreaterThan(0);
  });
});
