// Functions that make lines of the feed, with new ids, and with values for all required fields.

let count = 0;

export function freshId(prefix = "x"): string {
  count += 1;
  return `${prefix}${count}`;
}

type Fields = object;
type Line = Record<string, unknown> & { record: string };
type Seed = Line & { id: string };

/** Makes the function for one kind of record. It takes the values of `names` in order, then the other fields. */
function maker<const Names extends readonly string[]>(record: string, names: Names, defaults: Fields = {}) {
  return (...args: [...{ [Index in keyof Names]: unknown }, fields?: Fields | undefined]): Line => {
    const values = names.map((name, index) => [name, args[index]]);
    return { record, ...defaults, ...Object.fromEntries(values), ...(args[names.length] as Fields | undefined) };
  };
}

/** Makes the function for a kind of record with ids. It gives each line a new id. */
function makerWithId<const Names extends readonly string[]>(
  record: string,
  prefix: string,
  names: Names,
  defaults: Fields = {},
) {
  const make = maker(record, names, defaults);
  return (...args: Parameters<typeof make>): Seed => ({ id: freshId(prefix), ...make(...args) });
}

/** The id of an account has only digits. */
export const account = (fields: Fields = {}): Seed => {
  count += 1;
  return { record: "account", id: String(1_000 + count), company: "Blue Cup", ...fields };
};
export const store = makerWithId("store", "s", ["account_id"], {
  name: "Main Street",
  latitude: 35.47,
  longitude: -97.52,
});
export const campaign = makerWithId("campaign", "k", ["account_id"], {
  name: "Double points",
  campaign_start_date: "2020-01-01",
});
export const customer = makerWithId("customer", "c", [], { first_name: "Ada", last_name: "Lovelace" });
export const entry = makerWithId("balance_entry", "b", ["customer_id", "store_id", "amount"]);
export const membership = maker("membership", ["store_id", "customer_id"]);
export const registration = maker("registration", ["campaign_id", "customer_id"]);
export const coupon = makerWithId("coupon", "q", ["account_id"], {
  kind: "store",
  name: "Free coffee",
  type: "Free_Item",
  value: "1.00",
});
export const customerCoupon = makerWithId("customer_coupon", "i", ["customer_id", "campaign_coupon_id", "store_id"]);
export const earning = makerWithId("token_earning", "t", ["store_id", "customer_id", "level_no", "tokens"]);
export const block = maker("block", ["customer_id", "blocked_id"]);
export const message = makerWithId("message", "m", ["group_id", "customer_id"], { body: "Hello" });
export const messageState = maker("message_state", ["group_id", "customer_id"]);
export const employee = makerWithId("employee", "e", ["account_id"], { name: "Babe Ruth" });
export const eipCampaign = makerWithId("eip_campaign", "p", ["account_id"], {
  name: "Home runs",
  start_date: "2020-01-01",
});
export const play = makerWithId("play", "y", ["eip_campaign_id", "location_id", "employee_id"]);

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
