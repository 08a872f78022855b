import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { Line } from "../../../scripts/conform/lines.ts";
import { Random } from "../../../scripts/program/random.ts";
import { askedWords } from "../../../src/customer/search/asked-words.ts";
import { LIMITS, type LimitsOfLists, type SearchLimits } from "../../../src/customer/search/limits.ts";
import { searchAll } from "../../../src/customer/search/queries.ts";
import { LISTS, type SearchList } from "../../../src/customer/search/schema.ts";
import { Database } from "../../../src/db/database.ts";
import { type Asked, askedWords as naiveWords, wordsOf } from "../../model/text.ts";
import { mustFeed } from "../../support/api.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import * as seed from "../../support/seed.ts";

// A search with tiny limits, over data with few different words, against the naive query: it finds the same, or says that it is
// incomplete, and then it finds nothing else.

const RECORDS = 150;
const LONG_NAMES = 3;
const CALLER = "caller";
const BEGINNINGS = ["a", "ab", "abc", "b", "ba", "c", "abcabca", "abcabcb", "bcabcabc", "d", "東京", "京都東"];

interface NaiveRecord {
  list: SearchList;
  id: string;
  words: string[];
  mayBeFound: boolean;
}

const records: NaiveRecord[] = [];
const random = new Random(String(propertyRuns(1).seed));

const someWords = (most: number) =>
  Array.from(
    { length: random.integer(1, most) },
    () => random.pick(BEGINNINGS) + random.pick(["", "", "a", "b", "cc"]),
  );

/** The ids of the records with all words: first those with the whole words, then the others, in the order first stored. */
function findNaively(list: SearchList, query: string): string[] {
  const candidates = records.filter((record) => record.list === list && record.mayBeFound);
  const asked = naiveWords(query);
  const begins = (own: readonly string[], { words }: Asked) =>
    words.some((word) => own.some((other) => other.startsWith(word)));
  const hasAll = ({ words: own }: NaiveRecord) => asked.every((word) => begins(own, word));
  const hasAllWhole = ({ words: own }: NaiveRecord) =>
    asked.every((word) => (word.isPiece ? begins(own, word) : word.words.some((whole) => own.includes(whole))));
  const found = candidates.filter(hasAll);
  return [...found.filter(hasAllWhole), ...found.filter((record) => !hasAllWhole(record))].map(({ id }) => id);
}

async function search(query: string, limits: LimitsOfLists) {
  const db = new Database(env.DB, "first-unconstrained");
  const options = {
    words: askedWords(query),
    typos: false,
    lists: LISTS,
    customerId: CALLER,
    customerSearch: "all",
  } as const;
  const found = await searchAll(db, options, limits);
  const ids = LISTS.map((list) => found[list].map((text): string => JSON.parse(text).id));
  return { ids, isIncomplete: found.isIncomplete, roundTrips: db.usage.roundTrips };
}

const sameLimits = (limits: SearchLimits): LimitsOfLists => ({ stores: limits, customers: limits, campaigns: limits });

/** No list is short. `candidates`: how many records may be looked at. */
const textDecides = (candidates: number) => sameLimits({ pages: -1, pagesBesideText: -1, candidates });

beforeAll(async () => {
  const [account, deletedAccount] = [seed.account({ company: "ab" }), seed.account({ company: "abc" })];
  const lines: Line[] = [seed.customer({ id: CALLER, first_name: "z", last_name: "z" }), account, deletedAccount];
  for (let number = 0; number < RECORDS; number += 1) {
    const isHidden = random.next() < 0.2;
    const owner = isHidden ? deletedAccount : account;
    const longWord =
      number < LONG_NAMES ? ["x".repeat(60), "y".repeat(100), "w".repeat(100), "v".repeat(100), "u".repeat(60)] : [];
    const words = { stores: [...someWords(4), ...longWord], customers: someWords(3), campaigns: someWords(6) };
    const store = seed.store(owner.id, {
      name: words.stores.slice(0, 2).join(" "),
      city: words.stores.slice(2).join(" "),
      address_line_1: "",
      state: "",
      zip: "",
    });
    const customer = seed.customer({ first_name: words.customers.join("-"), last_name: "e" });
    const campaign = seed.campaign(owner.id, {
      name: words.campaigns[0],
      campaign_description: words.campaigns.slice(1).join(" "),
    });
    lines.push(store, customer, campaign);
    if (isHidden) lines.push(seed.block(customer.id, CALLER));
    const add = (list: SearchList, { id }: { id?: unknown }, ...texts: unknown[]) =>
      records.push({ list, id: String(id), words: wordsOf(...texts), mayBeFound: !isHidden });
    add("stores", store, store.name, store.city, "ab");
    add("customers", customer, `e ${customer.first_name}`);
    add("campaigns", campaign, campaign.name, campaign.campaign_description, "ab");
  }
  await mustFeed(lines);
  await mustFeed([seed.deleted("account", { id: deletedAccount.id })]);
});

describe("a search with limits", () => {
  const queries = fc
    .array(fc.constantFrom(...BEGINNINGS, "e", "abcabc", "bcabca", "abx"), { minLength: 1, maxLength: 5 })
    .chain((words) => fc.constantFrom(" ", " ", "-").map((separator) => words.join(separator)));
  const limits = fc.oneof(
    fc.constant(LIMITS),
    fc.integer({ min: 1, max: 400 }).map(textDecides),
    fc.integer({ min: 1, max: 400 }).map((candidates) => sameLimits({ pages: 1_000, pagesBesideText: 0, candidates })),
  );

  it("finds what the naive query finds, or says that it is incomplete", async () => {
    const outcomes = { same: 0, incomplete: 0, twoSteps: 0 };

    await fc.assert(
      fc.asyncProperty(queries, limits, async (query, chosen) => {
        const { ids, isIncomplete, roundTrips } = await search(query, chosen);
        const all = LISTS.map((list) => findNaively(list, query));

        const first20 = all.map((list) => list.slice(0, 20));
        const isInNaive = ids.every((list, index) => list.every((id) => all[index]?.includes(id)));
        for (const list of ids) expect(list).toEqual([...new Set(list)].slice(0, 20));
        if (isIncomplete) expect(isInNaive).toBe(true);
        else expect(ids.map((list, index) => (list.length < 20 ? list : first20[index]))).toEqual(first20);
        outcomes[isIncomplete ? "incomplete" : "same"] += 1;
        if (roundTrips === 2) outcomes.twoSteps += 1;
      }),
      propertyRuns(300),
    );

    for (const times of Object.values(outcomes)) expect(times).toBeGreaterThan(30);
  });
});
