import type { Line } from "../program/line.ts";
import { timeOf } from "../program/messages.ts";
import { CITIES } from "../program/names.ts";
import { linesOf, type PartName } from "../program/program.ts";
import type { Size } from "../program/shape.ts";

// The extremes of the program that requests ask for: the densest place, the widest team, the most common name, and the opposite.

interface Misspelt {
  /** One word, with a typo. */
  one: string;
  /** Two words; the second has a typo. */
  two: string;
  /** A word that resembles no name. */
  nothing: string;
}

const text = (value: unknown) => String(value);

export function picksOf(size: Size) {
  const find = (record: PartName, wanted: (line: Line) => boolean): Line => {
    for (const line of linesOf(size, record)) if (wanted(line)) return line;
    throw new Error(`The program has no such ${record}.`);
  };
  const ada = find("customer", ({ first_name, last_name }) => first_name === "Ada" && isWord(last_name, 5));
  const common = find("customer", ({ first_name, last_name }) => last_name === "Adeyemi" && isWord(first_name, 3));
  const inTown = find("store", ({ city }) => isWord(city, 6) && !/(.)\1/.test(text(city)));
  const { latitude, longitude } = CITIES[0] ?? { latitude: 0, longitude: 0 };
  const single_account_id = "101";
  const lone = find("store", ({ account_id, state }) => account_id === single_account_id && state === "");
  // This coupon is valid, and its customer has no other coupon.
  const fewCoupons = find(
    "customer_coupon",
    ({ customer_id, creation_method, deleted_at, campaign_coupon_id }) =>
      customer_id !== "c1" &&
      creation_method === "Signup Bonus" &&
      deleted_at === undefined &&
      !text(campaign_coupon_id).includes("past"),
  );
  const locations = new Set([...linesOf(size, "play")].map(({ location_id }) => text(location_id)));
  const [busyBoard = {}, ...boards] = [...locations].map((location_id) => ({
    location_id,
    eip_campaign_id: location_id.replace(/^s(\d+)-.*/, "eip-$1"),
  }));
  return {
    dense: { latitude, longitude, single_account_id },
    lone: { latitude: lone.latitude, longitude: lone.longitude, single_account_id },
    manyGroups: { customer: "c1", beforeNews: timeOf(3, 1), newest: timeOf(0, 1) },
    fewGroups: inOneGroup(size),
    wideTeam: { store: "s101-1-1", customer: "c1", member: "c2" },
    narrowTeam: teamOfOne(size),
    manyCoupons: text(`c${size.holders[0]?.customer}`),
    someCoupons: text(`c${size.holders[1]?.customer}`),
    fewCoupons: text(fewCoupons.customer_id),
    names: { first: "Ada", last: text(ada.last_name), common: "Adeyemi", rare: "Quxxy", chain: "Blue Cup Coffee" },
    misspelt: {
      customers: misspelt("adeyemi", text(common.first_name)),
      stores: misspelt(text(inTown.city), text(inTown.name).split(" ")[0] ?? ""),
    },
    manyEntries: entriesOf(size),
    card: text(common.scan_id),
    busyBoard,
    boards,
  };
}

const isWord = (name: unknown, letters: number) => new RegExp(`^\\p{L}{${letters},}$`, "u").test(text(name));

/** Swaps two letters in the middle of a word, so that no other word has the same beginning. */
function misspelt(word: string, beside: string): Misspelt {
  const middle = Math.floor(word.length / 2);
  const typo = word.slice(0, middle - 1) + word.charAt(middle) + word.charAt(middle - 1) + word.slice(middle + 1);
  return { one: typo, two: `${beside} ${typo}`, nothing: `${word.slice(0, 3)}qxzkw` };
}

/** The customer with the most entries, and the cursor of the hundredth page of 50. */
function entriesOf(size: Size): { customer: string; hundredthPage: string } {
  const customer = text(`c${(size.entries?.customer ?? 0) + 1}`);
  const entries = [...linesOf(size, "balance_entry")]
    .filter(({ customer_id }) => customer_id === customer)
    .map(({ id, created_at }) => ({ id: text(id), time: text(created_at) }));
  const newestFirst = entries.sort((one, other) => (one.time + one.id < other.time + other.id ? 1 : -1));
  const last = newestFirst[99 * 50 - 1];
  return { customer, hundredthPage: JSON.stringify({ customer, account: "", left: 0, ...last }) };
}

/** A customer who is a member of one group only. */
function inOneGroup(size: Size): string {
  const counts = new Map<string, number>();
  for (const { member_ids } of linesOf(size, "message_group"))
    for (const id of member_ids as string[]) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts].find(([, count]) => count === 1)?.[0] ?? "";
}

/** A member who has referred exactly one other member, who has referred nobody. */
function teamOfOne(size: Size): { store: string; customer: string } {
  const referred = new Map<string, string[]>();
  for (const { store_id, customer_id, referrer_id } of linesOf(size, "membership")) {
    const key = `${store_id} ${referrer_id}`;
    if (referrer_id !== null) referred.set(key, [...(referred.get(key) ?? []), text(customer_id)]);
  }
  for (const [key, below] of referred) {
    const [store = "", customer = ""] = key.split(" ");
    if (store !== "s101-1-1" && below.length === 1 && !referred.has(`${store} ${below[0]}`)) return { store, customer };
  }
  throw new Error("The program has no team of one.");
}
