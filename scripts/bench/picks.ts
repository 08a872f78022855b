import type { Line } from "../program/line.ts";
import { timeOf } from "../program/messages.ts";
import { CITIES } from "../program/names.ts";
import { linesOf, type PartName } from "../program/program.ts";
import type { Size } from "../program/shape.ts";

// The extremes of the program, for the requests: the densest city and a lonely store, the widest team and a team of
// one, and the most common name and a name that only one customer has.

interface MisspeltQueries {
  /** A word with a typo. */
  oneWord: string;
  /** Two words; the second has a typo. */
  twoWords: string;
  /** A word that resembles no name. */
  unknownWord: string;
}

export function picksOf(size: Size) {
  const find = (record: PartName, isWanted: (line: Line) => boolean): Line => {
    for (const line of linesOf(size, record)) if (isWanted(line)) return line;
    throw new Error(`The program has no such ${record}.`);
  };
  const ada = find("customer", ({ first_name, last_name }) => first_name === "Ada" && isWord(last_name, 5));
  const adeyemi = find("customer", ({ first_name, last_name }) => last_name === "Adeyemi" && isWord(first_name, 3));
  const storeInTown = find("store", ({ city }) => isWord(city, 6) && !/(.)\1/.test(String(city)));
  const { latitude, longitude } = CITIES[0] ?? { latitude: 0, longitude: 0 };
  const single_account_id = "101";
  const loneStore = find("store", ({ account_id, state }) => account_id === single_account_id && state === "");
  // This coupon is valid, and its customer has no other coupon.
  const fewCoupons = find(
    "customer_coupon",
    ({ customer_id, creation_method, deleted_at, campaign_coupon_id }) =>
      customer_id !== "c1" &&
      creation_method === "Signup Bonus" &&
      deleted_at === undefined &&
      !String(campaign_coupon_id).includes("past"),
  );
  const locations = new Set([...linesOf(size, "play")].map(({ location_id }) => String(location_id)));
  const [busyBoard = {}, ...boards] = [...locations].map((location_id) => ({
    location_id,
    eip_campaign_id: location_id.replace(/^s(\d+)-.*/, "eip-$1"),
  }));
  return {
    denseLocation: { latitude, longitude, single_account_id },
    lonelyStore: { latitude: loneStore.latitude, longitude: loneStore.longitude, single_account_id },
    manyGroups: { customer: "c1", beforeNews: timeOf(3, 1), newest: timeOf(0, 1) },
    fewGroups: customerInOneGroup(size),
    wideTeam: { store: "s101-1-1", customer: "c1", member: "c2" },
    narrowTeam: teamOfOne(size),
    manyCoupons: `c${size.holders[0]?.customer}`,
    someCoupons: `c${size.holders[1]?.customer}`,
    fewCoupons: String(fewCoupons.customer_id),
    names: {
      first: "Ada",
      last: String(ada.last_name),
      common: "Adeyemi",
      rare: "Quxxy",
      chain: "Blue Cup Coffee",
    },
    misspelt: {
      customers: misspelt("adeyemi", String(adeyemi.first_name)),
      stores: misspelt(String(storeInTown.city), String(storeInTown.name).split(" ")[0] ?? ""),
    },
    manyEntries: entriesOf(size),
    card: String(adeyemi.scan_id),
    busyBoard,
    boards,
  };
}

const isWord = (name: unknown, letters: number) => new RegExp(`^\\p{L}{${letters},}$`, "u").test(String(name));

/** Swaps two letters in the middle of a word, so that no other word has the same beginning. */
function misspelt(word: string, otherWord: string): MisspeltQueries {
  const middle = Math.floor(word.length / 2);
  const typo = word.slice(0, middle - 1) + word.charAt(middle) + word.charAt(middle - 1) + word.slice(middle + 1);
  return { oneWord: typo, twoWords: `${otherWord} ${typo}`, unknownWord: `${word.slice(0, 3)}qxzkw` };
}

/** The customer with the most entries, and the cursor of the hundredth page of 50. */
function entriesOf(size: Size): { customer: string; hundredthPage: string } {
  const customer = `c${(size.entries?.customer ?? 0) + 1}`;
  const entries = [...linesOf(size, "balance_entry")]
    .filter(({ customer_id }) => customer_id === customer)
    .map(({ id, created_at }) => ({ id: String(id), time: String(created_at) }));
  const newestFirst = entries.sort((first, second) => (first.time + first.id < second.time + second.id ? 1 : -1));
  const lastOfPage99 = newestFirst[99 * 50 - 1];
  return { customer, hundredthPage: JSON.stringify({ customer, account: "", step: 0, ...lastOfPage99, bookmark: "" }) };
}

/** The id of a customer who is in exactly one group. */
function customerInOneGroup(size: Size): string {
  const members = [...linesOf(size, "message_group")].flatMap(({ member_ids }) => member_ids as string[]);
  const groupsByMember = Map.groupBy(members, (id) => id);
  return [...groupsByMember].find(([, groups]) => groups.length === 1)?.[0] ?? "";
}

/** A member who has referred exactly one other member, who has referred nobody. */
function teamOfOne(size: Size): { store: string; customer: string } {
  const referredMembers = [...linesOf(size, "membership")].filter(({ referrer_id }) => referrer_id !== null);
  const teams = Map.groupBy(referredMembers, ({ store_id, referrer_id }) => `${store_id} ${referrer_id}`);
  for (const [key, [member, ...otherMembers]] of teams) {
    const [store = "", customer = ""] = key.split(" ");
    const isTeamOfOne = otherMembers.length === 0 && !teams.has(`${store} ${member?.customer_id}`);
    if (store !== "s101-1-1" && isTeamOfOne) return { store, customer };
  }
  throw new Error("The program has no team of one.");
}
