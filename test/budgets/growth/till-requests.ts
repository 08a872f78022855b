import { TILL } from "../../support/till.ts";
import { tillToken } from "../../support/tokens.ts";
import { type Ask, costOf, sendAs } from "./send.ts";

const AT = "store_id=store";
const BUSY = { customer_coupon_id: "busy", store_id: "store" };

let acts = 0;
/** Each act has a new id. */
const newId = () => {
  acts += 1;
  return `act-${acts}`;
};

async function redeemed(): Promise<string> {
  const id = newId();
  await send("POST", "/redemptions", { id, ...BUSY });
  return id;
}

async function held(): Promise<string> {
  const id = newId();
  await send("POST", "/holds", { id, ...BUSY, seconds: 1 });
  return id;
}

/** Every endpoint of a till. */
export const TILL_REQUESTS: Readonly<Record<string, Ask>> = {
  "till, find": ask("POST", "/customers/find", () => ({ scan_id: "card" })),
  "till, coupons": ask("GET", `/customers/caller/coupons?${AT}`),
  "till, coupons, next page": async () => {
    const link = /<[^>]*\?([^>]*)>; rel="next"/.exec((await send("GET", couponsPath(AT))).headers.get("Link") ?? "");
    return costOf(await send("GET", couponsPath(link?.[1] ?? AT)));
  },
  "till, explanation": ask("GET", "/explanations?customer_id=caller&customer_coupon_id=busy"),
  "till, explanation of a digital coupon": ask("GET", "/explanations?customer_id=caller&coupon_id=theirs"),
  "till, entry": ask("POST", "/entries", () => ({
    ...{ id: newId(), customer_id: "caller", store_id: "store", amount: "-0.01", campaign_id: "campaign" },
    minimum_balance: "-999999.00",
  })),
  "till, hold": ask("POST", "/holds", () => ({ id: newId(), ...BUSY, seconds: 1 })),
  "till, free": async () => costOf(await send("DELETE", `/holds/${await held()}`)),
  "till, redemption": ask("POST", "/redemptions", () => ({ id: newId(), ...BUSY })),
  "till, reversal": async () => {
    const body = { id: newId(), redemption_id: await redeemed(), store_id: "store" };
    return costOf(await send("POST", "/reversals", body));
  },
};

const couponsPath = (query: string) => `/customers/caller/coupons?${query}`;

function ask(method: string, path: string, body?: () => object): Ask {
  return async () => costOf(await send(method, path, body?.()));
}

const send = async (method: string, path: string, body?: object) =>
  sendAs(await tillToken(), TILL + path, { method, ...(body && { body: JSON.stringify(body) }) });
