import type { Line } from "./line.ts";
import { linesOf } from "./program.ts";
import { DEMO } from "./shape.ts";

const DAY_MS = 86_400_000;
const ACCOUNT = "101";

/** The offers of a season at the first chain, and after how many days they end. */
const OFFERS = [
  { id: "latte", name: "Oat latte on us", type: "Free_Item", value: "0.00", text: "Any size", days: 3 },
  { id: "cake", name: "Cake of the month", type: "Percent_Off", value: "20.00", text: "With any drink", days: 9 },
  { id: "beans", name: "Beans to take home", type: "Dollar_Off", value: "2.50", text: "Bags of 250 g", days: 24 },
  { id: "refill", name: "Free refills", type: "Free_Item", value: "0.00", text: "Same day, same cup", days: 45 },
] as const;
const REFILLS = 3;

/** What customers buy, where, and for how many points. The last is what they spend. */
const PURCHASES = [
  { reason: "Flat white and a croissant", store: "s101-1-6", amount: "7.40" },
  { reason: "Sourdough, six rolls", store: "s102-1-1", amount: "12.85" },
  { reason: "Two movie tickets", store: "s105-1-1", amount: "24.00" },
  { reason: "Breakfast for two", store: "s101-1-6", amount: "19.20" },
  { reason: "Popcorn with points", store: "s105-1-1", amount: "-6.50" },
] as const;
const PURCHASE_COUNT = 24;
const DAYS_BETWEEN = 4;

/** Messages to the demo customer, by group and sender, and how many hours ago they were sent. */
const NEWS = [
  { group: "g1", sender: "c11", hours: 2, body: "The new oat latte is out. Shall we try it on Saturday?" },
  { group: "g1", sender: "c6", hours: 5, body: "Double points at Main Street until Sunday!" },
  { group: "g2", sender: "c16", hours: 27, body: "I have a coupon to spare. Who wants it?" },
  { group: "g3", sender: "c21", hours: 75, body: "¿Café mañana?" },
] as const;

/**
 * What happened lately to the customers of the example app: purchases of the last months, messages of the last days, and
 * coupons that end within days or weeks. The lines depend on the day, so they are no part of the demo program: the first
 * `npm start` of a day feeds them. What is stored already of purchases and messages stays as it is, and coupons get new ends.
 */
export function latelyLines(customerIds: readonly string[], now: Date): Line[] {
  const memberships = [...linesOf(DEMO, "membership")];
  const storesOf = (customer: string) =>
    memberships.filter(({ customer_id }) => customer_id === customer).map(({ store_id }) => String(store_id));
  const members = customerIds
    .map((id) => ({ id, stores: storesOf(id).filter((store) => store.startsWith(`s${ACCOUNT}-`)) }))
    .filter(({ stores }) => stores.length > 0);
  return [
    ...OFFERS.map(couponOf),
    ...members.flatMap(({ id, stores }) => issuedTo(id, stores, now)),
    ...members.flatMap(({ id }) => purchasesOf(id, now)),
    ...NEWS.map((news) => messageOf(news, now)),
  ];
}

const dayAfter = (now: Date, days: number) => new Date(now.getTime() + days * DAY_MS).toISOString();

function couponOf({ id, name, type, value, text }: (typeof OFFERS)[number], index: number): Line {
  return {
    record: "coupon",
    id: `q${ACCOUNT}-season-${id}`,
    account_id: ACCOUNT,
    kind: "store",
    name,
    type,
    value,
    text_lines: [text],
    coupon_barcode: String(900 + index).padStart(12, "0"),
  };
}

/** The customer gets each offer at another of their stores. */
function issuedTo(customer_id: string, stores: readonly string[], now: Date): Line[] {
  return OFFERS.map(({ id, days }, index) => ({
    record: "customer_coupon",
    id: `season-${customer_id}-${id}`,
    customer_id,
    campaign_coupon_id: `q${ACCOUNT}-season-${id}`,
    store_id: stores[index % stores.length],
    total_count: id === "refill" ? REFILLS : 1,
    expected_end_date: dayAfter(now, days).slice(0, 10),
  }));
}

function messageOf({ group, sender, hours, body }: (typeof NEWS)[number], now: Date): Line {
  const id = `lately-${group}-${hours}`;
  return { record: "message", id, group_id: group, customer_id: sender, body, sent_at: dayAfter(now, -hours / 24) };
}

function purchasesOf(customer_id: string, now: Date): Line[] {
  return Array.from({ length: PURCHASE_COUNT }, (_, index) => {
    const { reason: description, store: store_id, amount } = PURCHASES[index % PURCHASES.length] ?? PURCHASES[0];
    const created_at = dayAfter(now, -1 - index * DAYS_BETWEEN);
    return {
      record: "balance_entry",
      id: `lately-${customer_id}-${index}`,
      customer_id,
      store_id,
      amount,
      description,
      created_at,
    };
  });
}
