import { type Placeholder, sql } from "drizzle-orm";
import { accountIdsOf, accountsOf } from "../../accounts/answers.ts";
import { compileOnce, compilePer, type Database, type Statement } from "../../db/database.ts";
import { findForgiven, findNear } from "../../db/forgiving-search.ts";
import {
  accounts,
  campaigns,
  campaignVocabulary,
  customers,
  customerVocabulary,
  stores,
  storeVocabulary,
} from "../../db/tables/index.ts";
import { findWords, LOOKED_UP, rarestBeginnings, type Searched } from "../../db/word-search.ts";
import { customerKeyOf } from "../../domain/customers.ts";
import { hasBlocked } from "../../domain/friendships.ts";
import { isAccountDeleted } from "../../domain/stores.ts";
import { type JsonText, withMember } from "../../http/json-text.ts";
import {
  type CampaignRow,
  type CustomerRow,
  forgivenIn,
  type StoreRow,
  toCampaign,
  toCustomer,
  toStore,
} from "./answers.ts";
import {
  asBeginnings,
  asWords,
  forgive,
  isForgivable,
  shortened,
  toNear,
  walkBounds,
  withoutBeginnings,
} from "./expressions.ts";
import { findGiven, findKnown, forgiveKnown, type Known, readKnown } from "./known/queries.ts";
import { nameBeginnings } from "./name-words.ts";
import { ANSWERS } from "./records/queries.ts";
import { KINDS, type SearchKind } from "./schema.ts";
import type { CustomerSearch } from "./whom.ts";

export interface FullSearch {
  /** Folded, each once. */
  words: readonly string[];
  /** Whether typos are forgiven where nothing is found as asked. */
  typos: boolean;
  /** What to search; the other lists stay empty. */
  kinds: readonly SearchKind[];
  /** Who asks. */
  customerId: string;
  /** Which customers may be found. */
  whom: CustomerSearch;
}

/** What was found, each record as its JSON text. */
export interface Found {
  stores: JsonText[];
  customers: JsonText[];
  campaigns: JsonText[];
  /** The words that were forgiven in one of these records, in the order of the query. */
  forgiven: string[];
}

const FOUND_LIMIT = 20;

/**
 * The records of which some word begins with each word asked for (docs/contract/interface.md, 4.6): first those that
 * hold every word whole, then the others, each in the order first stored. One round trip; none for no words. Where there
 * are none in any list, and a word may be forgiven, two more: what it may have been meant for, and a search for that.
 */
export async function searchAll(db: Database, search: FullSearch): Promise<Found> {
  const { words, typos } = search;
  const kinds = KINDS.filter((kind) => words.length > 0 && search.kinds.includes(kind));
  const found = await readLists(db, words, new Map(kinds.map((kind) => [kind, exactly(kind, search)])));
  const isNothing = kinds.every((kind) => found[kind].length === 0);
  const forgivable = typos ? words.filter(isForgivable) : [];
  return isNothing && forgivable.length > 0 ? searchForgivingly(db, search, { kinds, forgivable }) : found;
}

async function searchForgivingly(
  db: Database,
  { words, whom, customerId: caller }: FullSearch,
  { kinds, forgivable }: { kinds: readonly SearchKind[]; forgivable: readonly string[] },
): Promise<Found> {
  const indexed = kinds.filter((kind) => whom === "all" || kind !== "customers");
  const known = whom === "all" || indexed.length === kinds.length ? [] : [readKnown(whom, { caller })];
  const asked = { forgivable: JSON.stringify(forgivable), ...walkBounds(forgivable.length, indexed.length) };
  const results = await db.batch([...indexed.map((kind) => NEAR({ kind }, asked)), ...known]);
  const near = results.slice(0, indexed.length).map((rows) => rows.map(toNear));
  const [customers = []] = results.slice(indexed.length);

  const statements = new Map<SearchKind, Statement>();
  for (const [at, texts] of forgive(words, near).entries()) {
    const kind = indexed[at];
    if (kind === undefined || texts === null) continue;
    statements.set(kind, FORGIVINGLY({ kind }, { ...texts, words: JSON.stringify(words), caller }));
  }
  const given = forgiveKnown(customers, { words, forgivable }, FOUND_LIMIT);
  if (given !== null) statements.set("customers", GIVEN({ found: given, caller }));
  return readLists(db, words, statements);
}

function exactly(kind: SearchKind, { words, whom, customerId: caller }: FullSearch): Statement {
  if (kind === "customers" && whom !== "all") return KNOWN(whom, { words: JSON.stringify(words), caller });
  const beginnings = kind === "customers" ? nameBeginnings(withoutBeginnings(words)) : withoutBeginnings(words);
  return EXACTLY(
    { kind, hasMany: kind !== "customers" && beginnings.length > LOOKED_UP },
    {
      whole: asWords(words),
      beginnings: asBeginnings(beginnings),
      short: asBeginnings(beginnings.map(shortened)),
      list: JSON.stringify(beginnings),
      caller,
    },
  );
}

async function readLists(
  db: Database,
  words: readonly string[],
  statements: ReadonlyMap<SearchKind, Statement>,
): Promise<Found> {
  const results = await db.batch([...statements.values()]);
  const asked = [...statements.keys()];
  const rowsOf = <Row>(kind: SearchKind) => (results[asked.indexOf(kind)] ?? []) as unknown as Row[];
  const [stores, campaigns] = [rowsOf<StoreRow>("stores"), rowsOf<CampaignRow>("campaigns")];
  const records = [...stores, ...campaigns];
  const customers = rowsOf<CustomerRow>("customers");
  const [accountOf, accountIdOf] = [accountsOf(records), accountIdsOf(records)];
  return {
    stores: stores.map((row) => withMember(toStore(row, accountIdOf(row)), "account", accountOf(row))),
    customers: customers.map(toCustomer),
    campaigns: campaigns.map((row) => withMember(toCampaign(row, accountIdOf(row)), "account", accountOf(row))),
    forgiven: forgivenIn([...records, ...customers], words),
  };
}

type Value<Name extends string> = (name: Name) => Placeholder;

const EXACTLY = compilePer(
  (
    { kind, hasMany }: { kind: SearchKind; hasMany: boolean },
    value: Value<"whole" | "beginnings" | "short" | "list" | "caller">,
  ) => {
    const searched = SEARCHED[kind](value);
    const asked = {
      whole: value("whole"),
      beginnings: hasMany ? rarestBeginnings(searched.index, value("list")) : value("beginnings"),
      short: hasMany ? undefined : value("short"),
      held: hasMany ? value("list") : undefined,
    };
    return sql`WITH ${findWords(searched, asked, FOUND_LIMIT)} ${ANSWERS[kind](value)}`;
  },
);

const VOCABULARIES = { stores: storeVocabulary, customers: customerVocabulary, campaigns: campaignVocabulary };

const NEAR = compilePer(({ kind }: { kind: SearchKind }, value: Value<"forgivable" | "steps" | "neighbours">) =>
  findNear(VOCABULARIES[kind], {
    forgivable: value("forgivable"),
    steps: value("steps"),
    neighbours: value("neighbours"),
  }),
);

const FORGIVINGLY = compilePer(
  ({ kind }: { kind: SearchKind }, value: Value<"least" | "more" | "words" | "caller">) => {
    const asked = { least: value("least"), more: value("more"), words: value("words") };
    const found = findForgiven(SEARCHED[kind](value), asked, FOUND_LIMIT);
    return sql`WITH ${found} ${ANSWERS[kind](value)}`;
  },
);

/** Customers, where only those may be found whom the caller knows. */
const KNOWN = compilePer((whom: Known, value: Value<"words" | "caller">) => {
  const found = findKnown(whom, { words: value("words"), caller: value("caller") }, FOUND_LIMIT);
  return sql`WITH ${found} ${ANSWERS.customers(value)}`;
});

const GIVEN = compileOnce<"found" | "caller">(
  (value) => sql`WITH ${findGiven(value("found"))} ${ANSWERS.customers(value)}`,
);

/** What is searched for a kind, and which of it the caller may find. */
const SEARCHED: Record<SearchKind, (value: Value<"caller">) => Searched> = {
  stores: () => ofAccounts("store_words", stores),
  campaigns: () => ofAccounts("campaign_words", campaigns),
  customers: (value) => ({
    index: "customer_words",
    record: (key) => sql`CROSS JOIN ${customers} ON ${customers.key} = ${key}`,
    where: sql`NOT ${hasBlocked(sql`${customers.key}`, customerKeyOf(value("caller")))}`,
    recordWords: sql`${customers.words}`,
  }),
};

/** Stores or campaigns, to which the words of their account belong. */
function ofAccounts(index: string, table: typeof stores | typeof campaigns): Searched {
  const company = sql`(SELECT ${accounts.words} FROM ${accounts} WHERE ${accounts.key} = ${table.accountKey})`;
  return {
    index,
    record: (key) => sql`CROSS JOIN ${table} ON ${table.key} = ${key}`,
    where: sql`NOT ${isAccountDeleted(sql`${table.accountKey}`)}`,
    recordWords: sql`(${table.words} || ' ' || ${company})`,
  };
}
