import type { Item } from "../../scripts/conform/http.ts";
import * as lines from "../../scripts/conform/lines.ts";
import type { Line } from "../../scripts/conform/suite.ts";

// Functions that make lines of the feed as scripts/conform/lines.ts does, but with new ids and more values filled in.

export { block, deleted, membership, messageState, registration } from "../../scripts/conform/lines.ts";

type Seed = Line & { id: string };

let count = 0;

export function freshId(prefix = "x"): string {
  count += 1;
  return `${prefix}${count}`;
}

/** The function without its parameter for the id. Each line gets a new id, unless its fields have an id. */
function withFreshId<Values extends unknown[]>(prefix: string, make: (id: string, ...values: Values) => Line) {
  return (...values: Values): Seed => {
    const id = freshId(prefix);
    return { id, ...make(id, ...values) };
  };
}

/** The id of an account has only digits. */
export const account = (fields?: Item): Seed => {
  count += 1;
  const id = String(1_000 + count);
  return { id, ...lines.account(id, { company: "Blue Cup", ...fields }) };
};
export const store = withFreshId("s", (id, accountId: unknown, fields?: Item) =>
  lines.store(id, accountId, { name: "Main Street", latitude: 35.47, longitude: -97.52, ...fields }),
);
export const campaign = withFreshId("k", lines.campaign);
export const customer = withFreshId("c", (id, fields?: Item) => lines.customer(id, "Ada Lovelace", fields));
export const entry = withFreshId("b", lines.entry);
export const coupon = withFreshId("q", lines.coupon);
export const customerCoupon = withFreshId("i", lines.issued);
export const earning = withFreshId("t", lines.earning);
export const message = withFreshId("m", (id, groupId: unknown, customerId: unknown, fields?: Item) =>
  lines.message(id, groupId, customerId, "Hello", fields),
);
export const employee = withFreshId("e", (id, accountId: unknown, fields?: Item) =>
  lines.employee(id, accountId, "Babe Ruth", fields),
);
export const eipCampaign = withFreshId("p", lines.eipCampaign);
export const play = withFreshId("y", lines.play);
export const friendship = (customerId: unknown, friendId: unknown, status = 1): Line =>
  lines.friendship(customerId, friendId, status);

/** A message group; the first of its members is the initial customer. */
export const group = withFreshId("g", (id, memberIds: readonly unknown[], fields?: Item) =>
  lines.group(id, memberIds.map(String), fields),
);
