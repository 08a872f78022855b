import { expectExactFields, expectFields, expectInvalid, expectSame, expectThat, namesIn } from "../expect.ts";
import { type Answer, idsOf, listOf } from "../http.ts";
import { day, many } from "../lines.ts";
import { section } from "../suite.ts";
import { FORGIVEN, UNFORGIVEN } from "./typos.ts";

const PRIVATE_FIELDS = {
  scan_id: "7",
  date_of_birth: "1990-02-03",
  address_line_1: "1 Main",
  address_line_2: "b",
  city: "c",
  state: "OK",
  zip: "73",
};
const EMPTY_TEXTS = Object.fromEntries(Object.keys(PRIVATE_FIELDS).map((name) => [name, ""]));
const HIDDEN_FIELDS = { ...EMPTY_TEXTS, date_of_birth: null, balance: 0 };
const LIST_LIMIT = 20;
/** As many names as fit into a query. */
const NAMES = "garcia martin tomson walker robins alvare benson carter dawson".split(" ");

const STORE_FIELDS = namesIn(`
  id account_id name store_image address_line_1 address_line_2 city state zip phone latitude longitude account
`);
const CUSTOMER_FIELDS = namesIn(`
  id scan_id first_name last_name date_of_birth address_line_1 address_line_2 city state zip customer_description
  stores_count friend_status balance avatar campaigns_total campaigns_registered
`);
const CAMPAIGN_FIELDS = namesIn(`
  id account_id name campaign_start_date campaign_end_date campaign_description age_range_type age_value min_age
  max_age status campaign_type trigger_type reward_type campaign_require_register cash_tender_multiplier
  non_cash_tender_multiplier allow_cash_tender allow_non_cash_tender trigger_amount account
`);

export const search = section("interface, 4.6", ({ suite, ann, seed, it }) => {
  const ask = (query: unknown, more: object = {}) => suite.post(ann, "full-search", { query, ...more });

  it("`query` is required, 3 to 100 characters in NFC once trimmed; a Han, kana or Hangul letter counts as two of the 3.", async () => {
    const refused = [
      "",
      "ab",
      "  ab  ",
      "ส้",
      "é".normalize("NFD"),
      "東",
      "김".normalize("NFD"),
      "x".repeat(101),
      undefined,
      null,
    ];
    for (const query of refused) expectInvalid(await ask(query), "query");
    for (const query of ["  abc  ", "東京", "김수".normalize("NFD"), "ｱa", "é".repeat(100).normalize("NFD")])
      expectSame((await ask(query)).status, 200, query);
  });
  it("`filter` takes any of `stores`, `customers` and `campaigns`, separated by commas.", async () =>
    expectInvalid(await ask("abc", { filter: "stores,coupons" }), "filter"));
  it("`typos` is a JSON boolean, true if it is left out.", async () =>
    expectInvalid(await ask("abc", { typos: "true" }), "typos"));
  it("A query without a word finds nothing.", async () => {
    const { items } = (await ask("... --- ...")).body;
    expectSame(items, { stores: [], customers: [], campaigns: [] });
  });

  const { customerSearch } = suite.settings;
  // The records of each rule have a word of their own, so that a search finds no others.
  const newWord = () => suite.word();
  const [word, crowdWord, companyWord, typedWord, lonelyWord] = [newWord(), newWord(), newWord(), newWord(), newWord()];
  const [fewerWord, allWord, mostWord, severalWord, namesWord] = [
    newWord(),
    newWord(),
    newWord(),
    newWord(),
    newWord(),
  ];

  const [account, otherAccount] = [seed.account({ company: `The ${companyWord} company` }), seed.account()];
  const shop = seed.store(account, { name: `${word} Café`, city: "Tulsa", phone: "555" });
  const runningCampaign = seed.campaign(account, {
    name: "Points",
    campaign_description: `for ${word}`,
    campaign_end_date: day(1),
  });
  const endedCampaign = seed.campaign(account, { campaign_end_date: "2021-01-01", name: `Ended ${word}` });
  const stoppedCampaign = seed.campaign(account, { status: 0, name: "Off" });

  seed.caller(ann, `Ann ${word}`, PRIVATE_FIELDS);
  const friend = seed.customer(`Friend ${word}`, PRIVATE_FIELDS);
  const stranger = seed.customer(`José ${word}`, { ...PRIVATE_FIELDS, customer_description: "I run." });
  seed.friendship(ann, friend, 1);
  seed.block(ann, stranger);
  seed.block(seed.customer(`Shy ${word}`), ann);
  seed.membership(shop, stranger);
  seed.membership(shop, friend);
  seed.entry(stranger, shop, "9.99");
  seed.entry(friend, shop, "7.05");
  seed.registration(runningCampaign, friend);
  seed.registration(endedCampaign, friend);
  seed.customer(`Lonely ${lonelyWord}`);
  const customerWithLongerWord = seed.customer(`${typedWord}ish Longer`);
  const customerWithWholeWord = seed.customer(`${typedWord} Whole`);
  many(3, () => seed.block(seed.customer(`Many ${crowdWord}`), ann));
  const crowd = many(LIST_LIMIT + 2, () => seed.customer(`Many ${crowdWord}`));

  const seedStores = (names: readonly string[], ownWord: string) =>
    names.map((name) => seed.store(otherAccount, { name: `${name} ${ownWord}` }));
  const typoCases = [...FORGIVEN, ...UNFORGIVEN].map(([query, name], index) => {
    const ownWord = newWord();
    const stores = seedStores([name], ownWord);
    return { query: `${query} ${ownWord}`, stores, isForgiven: index < FORGIVEN.length };
  });
  const [namedStore] = seedStores([NAMES.join(" ")], namesWord);
  const storesWithTwoTypos = seedStores(Array(15).fill("Maria Garcias"), fewerWord);
  const storesWithOneTypo = seedStores(Array(10).fill("Maria Gracias"), fewerWord);
  seedStores(["Maria Garcias", ...Array(LIST_LIMIT).fill("Maria Gracias")], allWord);
  seedStores(["Garcias", "Garcia", "Garciab", "Garcia Garciab", "Garciab", "Martin"], mostWord);
  for (const letter of "abcdefg") seedStores([`Garcia${letter} Martin`], severalWord);
  const [spelledWord, joinedWord, denseWord] = [newWord(), newWord(), newWord()];
  const joinedStores = seedStores(
    ["Smith-O'Brien-Smith", "Anne‐Marie", "Par·lel", "ONEIL", "O’Neil", "O Neil"],
    joinedWord,
  );
  const denseStores = seedStores(
    ["스타벅스 강남점", "스타벅스강남점", "パンダ", "ハンダ", "ไทยแลนด์", "1가", "１東", "हिन्दी"],
    denseWord,
  );
  seedStores(["Ruedel MULLER", "Rüedel Muller", `${"Rüedel".normalize("NFD")} Müller`], spelledWord);

  const askStores = (query: string) => ask(query, { filter: "stores" });
  const idsIn = (answer: Answer, list: string) => idsOf(listOf(answer, list));
  const customerIn = async (query: string, { id }: { id: string }) =>
    listOf(await ask(query), "customers").find((item) => item.id === id);
  const withoutFifthLetter = (text: string) => text.slice(0, 4) + text.slice(5);
  /** The customers among these whom a search may find under the setting `CUSTOMER_SEARCH`. */
  const findable = (...customers: { id: string }[]) =>
    customers
      .filter(({ id }) => {
        const isFriend = customerSearch === "friends" && id === friend.id;
        return customerSearch === "all" || isFriend || id === ann.id;
      })
      .map(({ id }) => id);

  it("Without a filter, or with one that has `campaigns`, `items` is an object with the arrays `stores`, `customers` and `campaigns`. Lists that were not asked for are empty.", async () => {
    const { body } = await ask(word, { filter: "campaigns" });
    expectExactFields(body.items, ["stores", "customers", "campaigns"]);
    const answer = await ask(word, { filter: "campaigns,stores" });
    expectSame([idsIn(answer, "stores"), idsIn(answer, "customers")], [[shop], []]);
  });
  it("With a filter without `campaigns`, `stores` and `customers` stand beside `status`.", async () =>
    expectExactFields((await askStores(word)).body, ["status", "stores", "customers"]));
  it("Each word of the query must begin some word of the record.", async () => {
    const start = word.slice(0, 5);
    expectSame(idsIn(await ask(`${start} tul caf`), "stores"), [shop]);
    expectSame(idsIn(await ask(`${start} nowhere`, { typos: false }), "stores"), []);
    expectSame(idsIn(await ask(word.slice(1), { typos: false }), "stores"), []);
  });
  it("Stores are searched by name, address lines, city, state, zip and their account's company. Customers are searched by their names, campaigns by name, description and their account's company, whatever their dates and status.", async () => {
    const answer = await ask(companyWord);
    expectSame(idsIn(answer, "stores"), [shop]);
    expectSame(idsIn(answer, "campaigns"), [runningCampaign, endedCampaign, stoppedCampaign]);
    expectSame(idsIn(await ask(word), "campaigns"), [runningCampaign, endedCampaign]);
  });
  it("Such a search makes up to three round trips to the database. Every other search makes one, or two if many records have its words or may not be found.", async () => {
    const namesWithTypos = NAMES.map((name) => name.replace(/^(.)(.)(.)/, "$1$3$2"));
    for (const [query, more, mostTrips] of [
      [NAMES[0], {}, 2],
      [withoutFifthLetter(typedWord), {}, 3],
      [withoutFifthLetter(typedWord), { typos: false }, 2],
      ["qxz1", {}, 2],
      [namesWithTypos.join(" "), {}, 3],
    ] as const) {
      const answer = await ask(query, more);
      const trips = /trips;desc="(\d+)"/.exec(answer.headers.get("Server-Timing") ?? "")?.[1];
      expectThat(Number(trips) <= mostTrips, `${trips} round trips for ${query}`);
    }
    const answer = await askStores(`${namesWithTypos.join(" ")} ${namesWord}`);
    expectSame([idsIn(answer, "stores"), answer.body.forgiven], [[namedStore], namesWithTypos]);
  });
  it("At most 20 of each kind.", async () =>
    expectSame(idsIn(await ask(crowdWord), "customers"), findable(...crowd.slice(0, LIST_LIMIT))));
  it("Records in which every word of the query is a whole word come first. Within both parts, the record stored first comes first.", async () =>
    expectSame(idsIn(await ask(typedWord), "customers"), findable(customerWithWholeWord, customerWithLongerWord)));
  it("If every list that was asked for would be empty, they are searched once more.", async () => {
    const wordWithTypo = withoutFifthLetter(typedWord);
    const actual = idsIn(await ask(wordWithTypo), "customers").toSorted();
    expectSame(actual, findable(customerWithWholeWord, customerWithLongerWord).toSorted());
    expectSame(idsIn(await ask(wordWithTypo, { typos: false }), "customers"), []);
  });
  it("A forgiven word matches a word of the record with the same first letter and a beginning that is one typo away. A typo is one letter more, less or other, or two neighbours swapped (optimal string alignment, distance 1). If that beginning is the word without its last letter, it must be the whole word of the record: `smithe` finds Smith.", async () => {
    for (const { query, stores, isForgiven } of typoCases) {
      const answer = await askStores(query);
      expectSame(idsIn(answer, "stores"), isForgiven ? stores : [], `${stores[0]?.name} by ${query}`);
      expectSame(answer.body.forgiven?.length ?? 0, isForgiven ? 1 : 0, `words forgiven in ${query}`);
    }
  });
  it("Every word of the query must match, as it is or forgiven. Records with fewer forgiven words come first, then the record stored first; at most 20.", async () => {
    const answer = await askStores(`mraia gracias ${fewerWord}`);
    expectSame(idsIn(answer, "stores"), [...storesWithOneTypo, ...storesWithTwoTypos].slice(0, LIST_LIMIT));
    expectSame(answer.body.forgiven, ["mraia", "gracias"]);
  });
  it("`forgiven` is an array beside `status`, in both variants: the words of the query, as typed (NFC) and in their order, that were forgiven in a record shown. It is left out if there are none.", async () => {
    const wordWithTypo = withoutFifthLetter(word);
    expectSame((await ask(`CAFÉ ${wordWithTypo.toUpperCase()}`)).body.forgiven, [wordWithTypo.toUpperCase()]);
    const typed = ["Ĝarciás", "MRAIA"];
    expectSame((await askStores(`${typed.join(" ").normalize("NFD")} ${allWord}`)).body.forgiven, typed);
    expectSame((await askStores(wordWithTypo)).body.forgiven, [wordWithTypo]);
    expectSame("forgiven" in (await ask(word)).body, false);
    expectSame((await askStores(`mraia gracias ${allWord}`)).body.forgiven, ["mraia"]);
  });
  it("`meant` says for each of these words which words of the records shown it was taken for, as the records have them (NFC). Of several spellings with one fold it has the most frequent, then the first by code point.", async () => {
    const wordWithTypo = withoutFifthLetter(word);
    for (const filter of ["stores,campaigns", "stores"]) {
      const { meant } = (await ask(wordWithTypo, { filter })).body;
      expectSame(meant, { [wordWithTypo]: [word] }, `meant with the filter ${filter}`);
    }
    expectSame("meant" in (await ask(word)).body, false);
    expectSame((await ask(`ruedle mulelr ${spelledWord}`)).body.meant, { ruedle: ["Rüedel"], mulelr: ["MULLER"] });
  });
  it("`meant` has at most five words for each, of at most 100 characters, those of the most records first, then by code point.", async () => {
    const meant = async (query: string) => (await ask(query)).body.meant;
    expectSame(await meant(`garica ${mostWord}`), { garica: ["Garciab", "Garcia", "Garcias"] });
    const five = ["Garciaa", "Garciab", "Garciac", "Garciad", "Garciae"];
    expectSame(await meant(`garica matrin ${severalWord}`), { garica: five, matrin: ["Martin"] });
  });
  it("Who may not be found does not count towards the limit, and is in no `forgiven` and no `meant`.", async () => {
    const { body } = await ask(withoutFifthLetter(lonelyWord));
    const isFound = customerSearch === "all";
    expectSame(["forgiven" in body, "meant" in body], [isFound, isFound]);
  });
  const storesBy = async (query: string) => idsIn(await ask(query, { typos: false }), "stores");
  it("An apostrophe or a hyphen between two letters, or a middle dot between two Latin letters, ends a word. Two parts beside each other, and all parts, are a word too. In a query, each part or such a word with it must be found.", async () => {
    for (const query of [
      "brien",
      "obrien",
      "o'brien",
      "O’BRIEN",
      "o brien",
      "obrien-smith",
      "o'brien-smith",
      "briensmith",
    ])
      expectSame(await storesBy(`${query} ${joinedWord}`), joinedStores.slice(0, 1), query);
    for (const query of ["annemarie", "anne-marie", "marie"])
      expectSame(await storesBy(`${query} ${joinedWord}`), joinedStores.slice(1, 2), query);
    expectSame(await storesBy(`par·lel ${joinedWord}`), joinedStores.slice(2, 3));
    expectSame(await storesBy(`parlel ${joinedWord}`), joinedStores.slice(2, 3));
    expectSame(await storesBy(`o'neil ${joinedWord}`), joinedStores.slice(3, 6));
    expectSame(await storesBy(`oneil ${joinedWord}`), [joinedStores[3], joinedStores[4]]);
  });
  it("Han, kana, Hangul, Thai, Lao, Khmer and Myanmar letters: a word within a name is found, however the name has blanks. Each piece counts as a whole word.", async () => {
    for (const query of ["스타벅스강남점", "강남 스타벅스", "강남", "남점", "타벅스 강남점"])
      expectSame(await storesBy(`${query} ${denseWord}`), denseStores.slice(0, 2), query);
    expectSame(await storesBy(`강북 ${denseWord}`), []);
    expectSame(await storesBy(`パンダ ${denseWord}`), denseStores.slice(2, 3));
    expectSame(await storesBy(`ﾊﾟﾝﾀﾞ ${denseWord}`), denseStores.slice(2, 3));
    expectSame(await storesBy(`ハンダ ${denseWord}`), denseStores.slice(3, 4));
    expectSame(await storesBy(`แลนด์ ${denseWord}`), denseStores.slice(4, 5));
    expectSame(await storesBy(`1 ${denseWord}`), [...denseStores.slice(5, 7), ...denseStores.slice(4, 5)].slice(0, 2));
    expectSame(await storesBy(`가 ${denseWord}`), denseStores.slice(5, 6));
  });
  it("A word is a run of letters and digits with their marks.", async () => {
    expectSame(await storesBy(`हिन्दी ${denseWord}`), denseStores.slice(7, 8));
    expectSame(await storesBy(`हन्द ${denseWord}`), []);
    for (const sign of ['"', "*", "-", ":", "(", ")", "^", "+", "%_", "'"])
      expectSame(await storesBy(`${sign}${word}${sign}tulsa${sign}`), [shop], `words between ${sign}`);
    for (const operator of ["OR", "AND", "NOT", "NEAR"])
      expectSame(await storesBy(`${word} ${operator} tulsa`), [], `the word ${operator}`);
  });
  it("A store has exactly these fields.", async () => {
    const [actual] = listOf(await ask(word), "stores");
    expectExactFields(actual, STORE_FIELDS);
    expectFields(actual, { id: shop, account_id: account, city: "Tulsa", latitude: 10, longitude: 20 });
  });
  it("A customer has exactly these fields.", async () =>
    expectExactFields(await customerIn(word, ann), CUSTOMER_FIELDS));
  it("A campaign has exactly these fields, and an integer as `account_id`.", async () => {
    const [actual] = listOf(await ask(word), "campaigns");
    expectExactFields(actual, CAMPAIGN_FIELDS);
    expectFields(actual, { account_id: Number(account.id), trigger_amount: "0.00", cash_tender_multiplier: "1.00" });
  });
  it('`date_of_birth`, `scan_id`, the address and `balance` of a customer are shown to that customer and to friends (`friend_status` 1). For others the date is `null`, the texts are `""` and the balance is 0.', async () => {
    expectFields(await customerIn(word, ann), { ...PRIVATE_FIELDS, friend_status: -1 });
    if (findable(friend).length > 0)
      expectFields(await customerIn(word, friend), { ...PRIVATE_FIELDS, balance: 7.05, friend_status: 1 });
    if (findable(stranger).length > 0)
      expectFields(await customerIn(word, stranger), {
        ...HIDDEN_FIELDS,
        customer_description: "I run.",
        friend_status: -1,
      });
  });
  it("Customers who have blocked the caller are not found.", async () =>
    expectSame(idsIn(await ask(word), "customers"), findable(ann, friend, stranger)));
  it("`campaigns_total` is the number of running campaigns (`status` 1, today within the dates) of the accounts of those stores. `campaigns_registered` is how many of these the customer has registered for.", async () => {
    const isFriendFound = findable(friend).length > 0;
    const count = isFriendFound ? 1 : 0;
    const actual = await customerIn(word, isFriendFound ? friend : ann);
    expectFields(actual, { stores_count: count, campaigns_total: count, campaigns_registered: count });
  });
});
