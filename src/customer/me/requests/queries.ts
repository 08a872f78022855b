import { sql } from "drizzle-orm";
import { compileOnce, type PlaceholderOf } from "../../../db/compile.ts";
import { columnNames, NOW, pick, select } from "../../../db/select.ts";
import { type Actor, isTakenBy, journalAct, takeVersion } from "../../../records/acts.ts";
import { storedCustomerKeyOf } from "../../../records/customer.ts";
import { customerRequests } from "../../../records/customer-request.ts";
import { notifyOwnInbox, type OwnAct } from "../../../records/own-acts.ts";
import { programState } from "../../../records/program.ts";
import type { CustomerRequest } from "./schema.ts";

/** The statements that store what a customer asks of the operator, for `act`. `request`: the open one; none if nobody is stored. */
export function writeRequest(type: CustomerRequest["type"], actor: { act: string } & Actor) {
  const values = { ...actor, type };
  return {
    begun: [begin(values)],
    stored: [store(values)],
    notified: [notifyOwnInbox(values)],
    changes: [journalRequest(values)],
    request: [selectOpen(values)],
  };
}

type Placeholders = PlaceholderOf<OwnAct | "type">;

const { customer_key, type, requested_at } = customerRequests;

const callerOf = (placeholder: Placeholders) => storedCustomerKeyOf(placeholder("subject"));
const ofCaller = (placeholder: Placeholders) => sql`
  FROM ${customerRequests} WHERE ${customer_key} = ${callerOf(placeholder)} AND ${type} = ${placeholder("type")}`;

const begin = compileOnce("me/requests/begin", (placeholder: Placeholders) => {
  const isNew = sql`${callerOf(placeholder)} IS NOT NULL AND NOT EXISTS (SELECT 1 ${ofCaller(placeholder)})`;
  return takeVersion(placeholder("act"), isNew);
});

const store = compileOnce(
  "me/requests/store",
  (placeholder: Placeholders) => sql`
    INSERT INTO ${customerRequests} (${columnNames(customer_key, type, requested_at)})
    SELECT ${callerOf(placeholder)}, ${placeholder("type")}, ${NOW} FROM ${programState} WHERE ${isTakenBy(placeholder)}`,
);

// The feed takes no such line: the journal has the word alone.
const journalRequest = compileOnce("me/requests/journal", (placeholder: Placeholders) =>
  journalAct(placeholder, sql`json_quote(${placeholder("type")})`),
);

const selectOpen = compileOnce("me/requests/open", (placeholder: Placeholders) =>
  select(pick(customerRequests, "type", "requested_at"), ofCaller(placeholder)),
);
