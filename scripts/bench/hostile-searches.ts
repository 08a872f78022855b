// Records that one account may feed to make searches slow. test/budgets/growth/searches.test.ts stores the same names.

type Line = Readonly<Record<string, unknown>>;

/** Customers whose names make a search for `query` slow. */
export interface Names {
  query: string;
  /** How many records the search finds, however many there are. */
  finds: number;
  /** The name of a customer, counted from 0. */
  nameOf: (index: number) => string;
}

export const many = <Item = Line>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));

const TWENTY_SIX_WORDS = Array.from({ length: 26 }, (_, letter) => `y${String.fromCharCode(97 + letter)}`);
const RARE_RECORDS = 200;

export const NAMES = {
  "four common words, and a rare word that none of their records has": {
    query: "wa wb wc wd zzz",
    finds: 0,
    nameOf: (index) => (index < RARE_RECORDS ? "zzz" : "wa wb wc wd"),
  },
  "26 words of which each record has half": {
    query: TWENTY_SIX_WORDS.join(" "),
    finds: 0,
    // A bit of a number that looks like chance decides between two words.
    nameOf: (index) =>
      TWENTY_SIX_WORDS.filter((_, word) => (((index * 40_503) >> (word % 13)) & 1) === Math.floor(word / 13)).join(" "),
  },
  "the beginning of a word that each record has with another number": {
    query: "guestuser",
    finds: 20,
    nameOf: (index) => `guestuser${String(index).padStart(6, "0")}`,
  },
} as const satisfies Record<string, Names>;

const ids = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `hostile-${prefix}-${index}`);
const customer = (id: string, first_name: string) => ({ record: "customer", id, first_name, last_name: "Hostile" });
const WORDS_OF_CAMPAIGN = 330;
/** A campaign with words that begin alike, and that no other campaign has. */
const alikeCampaign = (account_id: string) => (id: string, index: number) => ({
  record: "campaign",
  id,
  account_id,
  name: "Hostile",
  campaign_description: many(
    WORDS_OF_CAMPAIGN,
    (word) => `alikesa${(index * WORDS_OF_CAMPAIGN + word).toString(36)}`,
  ).join(" "),
  campaign_start_date: "2020-01-01",
});
const store = (id: string, account_id: string, name: string) => ({
  record: "store",
  id,
  account_id,
  name,
  latitude: 0,
  longitude: 0,
});

/** Each search with its data: lists of lines, of which a later list refers to records of earlier lists. */
export function hostileSearches(count: number, { account, caller }: { account: string; caller: string }) {
  const [closed, blockers, joiners] = ["998", ids("blocker", count), ids("joiner", 20)];
  // Ids of accounts are numbers. No other program of the benchmark has these.
  const accounts = Array.from({ length: Math.ceil(count / 10) }, (_, index) => String(9_000_000 + index));
  const named = Object.entries(NAMES).map(([name, { query, nameOf }], number) => ({
    name: `search: ${name}`,
    query,
    filter: "customers",
    lists: [many(count, (index) => customer(`hostile-name-${number}-${index}`, nameOf(index)))],
  }));
  return [
    ...named,
    {
      name: "search: stores of a deleted account, stored before those that are shown",
      query: "kiosk",
      filter: "stores",
      lists: [
        [{ record: "account", id: closed, company: "Hostile" }],
        ids("closed", count).map((id) => store(id, closed, "Kiosk")),
        [
          { record: "account", id: closed, deleted: true },
          ...ids("kiosk", 30).map((id) => store(id, account, "Kiosk")),
        ],
      ],
    },
    {
      name: "search: campaigns that each have hundreds of words that begin alike",
      query: "alikesa",
      filter: "campaigns",
      linesARequest: 400,
      lists: [ids("alike", Math.ceil(count / 10)).map(alikeCampaign(account))],
    },
    {
      name: "search: customers who have all blocked the caller",
      query: "blocker",
      filter: "customers",
      lists: [
        blockers.map((id) => customer(id, "Blocker")),
        blockers.map((customer_id) => ({ record: "block", customer_id, blocked_id: caller })),
      ],
    },
    {
      name: "search: twenty customers who have joined a store of many accounts each",
      query: "joiner",
      filter: "customers",
      lists: [
        [
          ...joiners.map((id) => customer(id, "Joiner")),
          ...accounts.map((id) => ({ record: "account", id, company: "Hostile" })),
        ],
        accounts.map((id) => store(`hostile-joined-${id}`, id, "Hostile")),
        accounts.flatMap((id) =>
          joiners.map((customer_id) => ({ record: "membership", store_id: `hostile-joined-${id}`, customer_id })),
        ),
      ],
    },
  ];
}
