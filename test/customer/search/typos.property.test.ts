import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterAll, describe, it } from "vitest";
import { DERIVED } from "../../../src/db/derived/index.ts";
import { ALL_KEYS, findDifferences } from "../../../src/db/derived/recount.ts";
import { as, mustFeed } from "../../support/api.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import * as seed from "../../support/seed.ts";
import { rows } from "../../support/state.ts";
import { type Query, WHOM, World } from "./model.ts";

const PATH = "/api/v1/customer/full-search";

// Words of each script are alike, so that they are forgiven for each other.
const SCRIPTS = [
  "garcia garica gracia garcía garcias mari maria marina maris marias marsi smith smithe smit smiths smitten".split(
    " ",
  ),
  "abcde abced abcd abcdef abcxe abbcde abcde1 abcd9 12345 12346 aaaaa aaaa aaaaaa starbucks starbuckses".split(" "),
  "οδυσσέας οδυσσεας οδυσεας οδυσσεα ΟΔΥΣΣΕΥΣ хлебный хлебнй хелбный хлебныи".split(" "),
  "日本語東京 日本語京東 日本語東 日本東京都 𐐨𐐩𐐪𐐫𐐬 𐐨𐐪𐐩𐐫𐐬 𐐨𐐩𐐪𐐫𐐭 christopher christophers christohper".split(" "),
];

interface Edit {
  kind: "add" | "leave out" | "replace" | "swap" | "none";
  at: number;
  letter: string;
}

const edit = fc.record({
  kind: fc.constantFrom<Edit["kind"]>("add", "leave out", "replace", "swap", "none"),
  at: fc.nat({ max: 12 }),
  letter: fc.constantFrom(..."abcdeirstzσ東ы𐐩1"),
});

function edited(word: string, { kind, at, letter }: Edit): string {
  const letters = [...word];
  const here = at % letters.length;
  if (kind === "add") letters.splice(here, 0, letter);
  if (kind === "leave out") letters.splice(here, 1);
  if (kind === "replace") letters[here] = letter;
  if (kind === "swap") letters.splice(here, 2, ...letters.slice(here, here + 2).reverse());
  return letters.join("");
}

type Line = Record<string, unknown>;
type Gen = <T>(arbitrary: () => fc.Arbitrary<T>) => T;

/** A small program in the words of two scripts; `g` picks what it holds. */
function program(g: Gen, vocabulary: readonly string[]): Line[] {
  const one = <T>(items: readonly T[]): T => g(() => fc.constantFrom(...items));
  const many = (min: number, max: number) => Array.from({ length: g(() => fc.integer({ min, max })) });
  const text = () =>
    many(1, 3)
      .map(() => edited(one(vocabulary), one([...NO_EDITS, g(() => edit)])))
      .join(" ");
  const accounts = many(1, 4).map(() => seed.account({ company: text() }));
  const chain = one([false, false, true]);
  const stores = [
    ...many(1, 12).map(() => seed.store(one(accounts).id, { name: text(), city: one(["", text()]) })),
    // More stores than hold their company's words themselves.
    ...(chain
      ? Array.from({ length: 105 }, (_, at) => seed.store(accounts[0]?.id, at < 101 ? {} : { name: text() }))
      : []),
  ];
  const campaigns = many(0, 6).map(() =>
    seed.campaign(one(accounts).id, { name: text(), campaign_description: text() }),
  );
  const customers = many(2, 30).map(() => seed.customer({ first_name: text(), last_name: one(vocabulary) }));
  const pairs = (max: number) =>
    many(0, max)
      .map(() => [one(customers).id, one(customers).id] as const)
      .filter(([left, right]) => left !== right);
  return [
    ...accounts,
    ...stores,
    ...campaigns,
    ...customers,
    ...pairs(40).map(([left, right]) => seed.friendship(left, right, one([0, 1, 1]))),
    ...pairs(6).map(([by, blocked]) => seed.block(by, blocked)),
  ];
}

const NO_EDITS: readonly Edit[] = Array.from({ length: 3 }, () => ({ kind: "none", at: 0, letter: "" }));

/** Some records deleted, of an account all that belongs to it: their words must not be found any more. */
function deletions(g: Gen, lines: readonly Line[]): Line[] {
  const deletable = lines.filter(({ record }) => ["account", "store", "campaign", "customer"].includes(String(record)));
  const picked = g(() => fc.shuffledSubarray(deletable));
  return picked.slice(0, 8).map(({ record, id }) => ({ record, id, deleted: true }));
}

const counts = { programs: 0, queries: 0, forgiven: 0, several: 0, forgivenFriends: 0 };

async function compare(world: World, query: Query, caller: string): Promise<void> {
  const { query: text, typos, whom } = query;
  Object.assign(env, { CUSTOMER_SEARCH: whom });
  const { body } = await as(caller).post(PATH, { query: text, typos });
  const ids = (records: readonly Record<string, unknown>[]) => records.map(({ id }) => id);
  const { stores, customers, campaigns } = body.items;
  const found = { lists: [stores, customers, campaigns].map(ids), forgiven: body.forgiven ?? [] };
  const model = world.find(query, caller, "2026-05-10");
  const { forgiven } = model;
  const expected = { lists: [model.stores, model.customers, model.campaigns].map(ids), forgiven };
  if (JSON.stringify(found) !== JSON.stringify(expected))
    throw new Error(`${query.query} found ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
  counts.queries += 1;
  if (forgiven.length > 0) counts.forgiven += 1;
  if (whom === "friends" && forgiven.length > 0 && model.customers.length > 0) counts.forgivenFriends += 1;
  if (forgiven.length > 1) counts.several += 1;
}

/** The vocabularies hold the words that are left, and that of customers no others. */
async function expectVocabularies(): Promise<void> {
  const vocabularies = DERIVED.filter(({ table }) => table.endsWith("_vocabulary"));
  for (const derived of vocabularies) {
    const found = await rows(findDifferences(derived, ALL_KEYS));
    if (found.length > 0) throw new Error(`${derived.name}: ${JSON.stringify(found)}`);
  }
}

afterAll(() => Object.assign(env, { CUSTOMER_SEARCH: "all" }));

const runs = propertyRuns(6);

describe("a search that forgives typos, against brute force", () => {
  it("finds the same records in the same order, and names the same words, in every script", async ({ expect }) => {
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (gen) => {
        const g = gen as unknown as Gen;
        const vocabulary = g(() => fc.shuffledSubarray(SCRIPTS, { minLength: 1, maxLength: 2 })).flat();
        const lines = program(g, vocabulary);
        const world = new World();
        const customers = lines.filter(({ record }) => record === "customer");
        try {
          for (const step of [lines, deletions(g, lines)].filter((step) => step.length > 0)) {
            await mustFeed(step);
            world.apply(step);
            await expectVocabularies();
            for (let count = 0; count < 8; count += 1) {
              const words = Array.from({ length: g(() => fc.integer({ min: 1, max: 4 })) }, () =>
                edited(
                  g(() => fc.constantFrom(...vocabulary)),
                  g(() => edit),
                ),
              );
              const query = words.join(" ");
              if ([...query].length < 3) continue;
              const typos = g(() => fc.constantFrom(true, true, true, true, false));
              const whom = g(() => fc.constantFrom(...WHOM));
              await compare(world, { query, typos, whom }, String(g(() => fc.constantFrom(...customers)).id));
            }
          }
          counts.programs += 1;
        } finally {
          // The next program must not find this one.
          const gone = lines.filter(({ record }) => record === "account" || record === "customer");
          await mustFeed(gone.map(({ record, id }) => ({ record, id, deleted: true })));
        }
      }),
      { ...runs, endOnFailure: true },
    );

    // The comparison shows little where nothing is forgiven.
    expect(counts.forgiven).toBeGreaterThan(runs.numRuns);
    expect(counts.several).toBeGreaterThan(runs.numRuns / 5);
    expect(counts.forgivenFriends).toBeGreaterThan(0);
  });
});
