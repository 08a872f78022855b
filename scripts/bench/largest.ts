// The largest requests of each sort that the feed takes, the largest that it must refuse, and the largest exports.

/** A request of the feed, or an export of one kind of record, all pages. */
export interface Largest {
  name: string;
  /** A request's body; of an export, bodies of requests that feed what is exported. */
  bodies: readonly string[];
  /** `*` where a line belongs to no account; else the account check is measured too. */
  accounts: readonly string[] | "*";
  /** 200 unless it is one that is refused. */
  status: number;
  /** The kind that is exported. */
  exported?: string;
}

type Fields = Record<string, unknown>;
type Make = (index: number) => Fields;

const ACCOUNT = "1";
const LINES = 5_000;
const STORES = 20_000;
const LONGEST_BODY = 8 * 1024 * 1024;
const EXPORTED = 2_000;
const TIME = "2026-01-01 00:00:00";

const storeId = (index: number) => `s${10_000 + (index % STORES)}`;
const customerId = (index: number) => `customer-${10_000 + (index % LINES)}`;
const emoji = (index: number) => "🎉".repeat(60) + (1_000 + (index % 50));

/** What must be there first: an account, and its stores and customers. */
export function* groundwork(): Generator<string> {
  const customer = (id: string) => ({ id, first_name: "Ada", last_name: "L" });
  const lines = [
    made("account", 1, () => ({ id: ACCOUNT, company: "A" })),
    made("store", STORES, store),
    made("customer", LINES, (index) => customer(customerId(index))),
    made("customer", 50, (index) => customer(emoji(index))),
    made("campaign", 50, (index) => campaign(emoji(index))),
    made("coupon", 1, () => coupon("issued")),
    made("message_group", 1, () => ({ ...group(0, 0), id: "exported" })),
  ].flat();
  for (let from = 0; from < lines.length; from += LINES) yield lines.slice(from, from + LINES).join("\n");
}

/** What belongs to no account. */
const OF_ALL = ["customer", "message_group", "message", "account"];

export function largestRequests(): Largest[] {
  const request = (name: string, record: string, count: number, make: Make, status = 200): Largest => {
    const accounts = OF_ALL.includes(record) ? "*" : [ACCOUNT];
    return { name, bodies: [made(record, count, make).join("\n")], accounts, status };
  };
  const membership: Make = (index) => {
    const referrer_id = index < 50 ? null : customerId(index - 50);
    return { store_id: storeId(index % 50), customer_id: customerId(index), joined_at: TIME, referrer_id };
  };
  const withTexts = (id: string, header: string, text: string) => {
    return { ...coupon(id), header_lines: texts(header), text_lines: texts(text) };
  };
  const hangul: Make = (index) => ({ ...coupon(`hangul-${index}`), text_lines: ["각".repeat(2_000)] });
  const far: Make = (index) => campaign(`far-${index}`, 0, STORES);
  const near = (shift: number): Make => {
    return (index) => campaign(`near-${index}`, index * 40 + shift, 2_000);
  };
  return [
    request("5,000 customers with long descriptions", "customer", LINES, (index) => ({
      ...{ id: `full-${index}`, first_name: "Adalbert", last_name: `Lovelace ${index}` },
      ...{ address_line_1: "1 Main Street", city: "Springfield", state: "OK", zip: "73000" },
      customer_description: "word ".repeat(280),
    })),
    request("5,000 stores", "store", LINES, (index) => ({ ...store(index), address_line_1: "1 Main Street" })),
    request("5,000 memberships in chains of referrers", "membership", LINES, membership),
    request("5,000 balance entries", "balance_entry", LINES, (index) =>
      entry(`entry-${index}`, index, customerId(index)),
    ),
    request("4,500 entries with ids of 64 emoji", "balance_entry", 4_500, (index) => ({
      ...entry("🎉".repeat(56) + (10_000 + index), index, emoji(index)),
      campaign_id: emoji(index),
    })),
    request("5,000 coupons with 40 lines of text", "coupon", LINES, (index) =>
      withTexts(`lines-${index}`, "header line", "a text line of some length"),
    ),
    request("3,800 coupons with an emoji in each text", "coupon", 3_800, (index) =>
      withTexts(`emoji-${index}`, "🎉 header", "🎉 a text line of some length"),
    ),
    request("1,150 coupons with Hangul, the most of it", "coupon", 1_150, hangul),
    request("1,350 coupons with Hangul, refused", "coupon", 1_350, hangul, 413),
    request("5,000 issued coupons", "customer_coupon", LINES, (index) => ({
      ...{ id: `issued-${index}`, customer_id: customerId(index) },
      ...{ campaign_coupon_id: "issued", store_id: storeId(index) },
    })),
    request("5 campaigns of 20,000 stores", "campaign", 5, far),
    request("50 campaigns of 2,000 stores", "campaign", 50, near(0)),
    request("50 campaigns of 2,000 other stores", "campaign", 50, near(3_000)),
    request("38 campaigns of 20,000 stores, refused", "campaign", 38, far, 413),
    request("1,000 groups of 100 members", "message_group", 1_000, (index) => group(index, 0)),
    request("1,000 groups of 100 other members", "message_group", 1_000, (index) => group(index, 700)),
    request("5,000 messages", "message", LINES, (index) => ({
      ...{ id: `message-${index}`, group_id: `group-${index % 1_000}`, customer_id: customerId(index % 1_000) },
      body: "word ".repeat(250),
    })),
    request("135 accounts with 20,000 addresses each", "account", 135, (index) => ({
      ...{ id: String(1_000 + index), company: "C" },
      loyalty_options: { notify_user_admin: Array.from({ length: 20_000 }, () => "") },
    })),
    {
      name: "One line of nothing but empty lists, refused",
      bodies: [`{"record":"customer","id":"x","unknown":[${"[],".repeat((LONGEST_BODY - 100) / 3)}1]}`],
      accounts: "*",
      status: 422,
    },
  ];
}

/** The exports whose pages are the largest. What the requests have not fed is fed before, in messages of 8 MiB at most. */
export function largestExports(): Largest[] {
  const messages = (prefix: string, aRequest: number, body: string) =>
    Array.from({ length: Math.ceil(EXPORTED / aRequest) }, (_, request) =>
      made("message", Math.min(aRequest, EXPORTED - request * aRequest), (index) => ({
        ...{ id: `${prefix}-${request}-${index}`, group_id: "exported", customer_id: customerId(0), body },
      })).join("\n"),
    );
  const exported = (name: string, record: string, bodies: readonly string[] = []): Largest => ({
    ...{ name: `Export: ${name}`, accounts: "*", status: 200, exported: record, bodies },
  });
  return [
    exported("messages of 4,000 emoji", "message", messages("a", 500, "🎉".repeat(4_000))),
    exported("with messages of letters and one emoji", "message", messages("b", 2_000, `${"word ".repeat(799)}🎉`)),
    exported("with messages of control characters", "message", messages("c", 340, "\u0001".repeat(4_000))),
    ...["coupon", "account", "customer", "campaign", "message_group"].map((record) => exported(record, record)),
  ];
}

function made(record: string, count: number, make: Make): string[] {
  return Array.from({ length: count }, (_, index) => JSON.stringify({ record, ...make(index) }));
}

function texts(start: string): string[] {
  return Array.from({ length: 20 }, (_, index) => `${start} ${index}`);
}

function store(index: number): Fields {
  return { id: storeId(index), account_id: ACCOUNT, name: `Store ${index}`, latitude: 35, longitude: -97 };
}

function campaign(id: string, from = 0, stores = 0): Fields {
  const store_ids = Array.from({ length: stores }, (_, index) => storeId(from + index));
  return {
    id,
    account_id: ACCOUNT,
    name: "Spring",
    campaign_start_date: "2026-01-01",
    ...(stores > 0 && { store_ids }),
  };
}

function coupon(id: string): Fields {
  return { id, account_id: ACCOUNT, kind: "store", name: "Coupon", type: "percent", value: "1.00" };
}

function entry(id: string, index: number, customer_id: string): Fields {
  return { id, customer_id, store_id: storeId(index), amount: "12.50", created_at: TIME };
}

function group(index: number, shift: number): Fields {
  const others = Array.from({ length: 99 }, (_, member) => customerId(index + 1 + member + shift));
  return { id: `group-${index}`, initial_customer_id: customerId(index), member_ids: [customerId(index), ...others] };
}
