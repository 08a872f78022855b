// Functions that make lines of the feed, with new ids, and with values for all required fields.

let count = 0;

export function freshId(prefix = "x"): string {
  count += 1;
  return `${prefix}${count}`;
}

type Fields = object;
type Line = Record<string, unknown> & { record: string };
type Seed = Line & { id: string };

/** Makes a function for one kind of record. It takes the values of `names` in order, then an object of other fields. */
function kind<const Names extends readonly string[]>(record: string, names: Names, filledIn: Fields = {}) {
  return (...given: [...{ [Place in keyof Names]: unknown }, fields?: Fields | undefined]): Line => {
    const values = names.map((name, place) => [name, given[place]]);
    return { record, ...filledIn, ...Object.fromEntries(values), ...(given[names.length] as Fields | undefined) };
  };
}

/** The same for a kind with ids. Each line gets a new id. */
function withId<const Names extends readonly string[]>(
  record: string,
  prefix: string,
  names: Names,
  filledIn: Fields = {},
) {
  const make = kind(record, names, filledIn);
  return (...given: Parameters<typeof make>): Seed => ({ id: freshId(prefix), ...make(...given) });
}

/** The id of an account has only digits. */
export const account = (fields: Fields = {}): Seed => {
  count += 1;
  return { record: "account", id: String(1_000 + count), company: "Blue Cup", ...fields };
};
export const store = withId("store", "s", ["account_id"], { name: "Main Street", latitude: 35.47, longitude: -97.52 });
export const campaign = withId("campaign", "k", ["account_id"], {
  name: "Double points",
  campaign_start_date: "2020-01-01",
});
export const customer = withId("customer", "c", [], { first_name: "Ada", last_name: "Lovelace" });
export const entry = withId("balance_entry", "b", ["customer_id", "store_id", "amount"]);
export const membership = kind("membership", ["store_id", "customer_id"]);
export const registration = kind("registration", ["campaign_id", "customer_id"]);
export const coupon = withId("coupon", "q", ["account_id"], {
  kind: "store",
  name: "Free coffee",
  type: "Free_Item",
  value: "1.00",
});
export const customerCoupon = withId("customer_coupon", "i", ["customer_id", "campaign_coupon_id", "store_id"]);
export const earning = withId("token_earning", "t", ["store_id", "customer_id", "level_no", "tokens"]);
export const block = kind("block", ["customer_id", "blocked_id"]);
export const message = withId("message", "m", ["group_id", "customer_id"], { body: "Hello" });
export const messageState = kind("message_state", ["group_id", "customer_id"]);
export const employee = withId("employee", "e", ["account_id"], { name: "Babe Ruth" });
export const eipCampaign = withId("eip_campaign", "p", ["account_id"], { name: "Home runs", start_date: "2020-01-01" });
export const play = withId("play", "y", ["eip_campaign_id", "location_id", "employee_id"]);

export const friendship = (customerId: unknown, friendId: unknown, status = 1): Line => {
  return { record: "friendship", customer_id: customerId, friend_id: friendId, status };
};

/** A message group; the first of its members is the initial customer. */
export const group = (memberIds: readonly unknown[], fields: Fields = {}): Seed => {
  return {
    record: "message_group",
    id: freshId("g"),
    initial_customer_id: memberIds[0],
    member_ids: memberIds,
    ...fields,
  };
};

export const deleted = (record: string, key: Fields): Line => ({ record, ...key, deleted: true });
