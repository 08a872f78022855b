import { sql } from "drizzle-orm";
import { compileOnce, type PlaceholderOf } from "../db/compile.ts";
import { type Actor, isTakenBy } from "./acts.ts";
import { customers } from "./customer.ts";
import { programState } from "./program.ts";

/** The names of the values that each act of a customer has. */
export type OwnAct = "act" | keyof Actor;

/** Notifies the customer's own inbox, if the act has changed something: the customer's other devices ask again. */
export const notifyOwnInbox = compileOnce(
  "customer/notify-own-inbox",
  (placeholder: PlaceholderOf<OwnAct>) => sql`
    INSERT INTO changes (customer_keys, topic, newest_at)
    SELECT json_array(${customers.key}), 'messages', ''
    FROM ${programState} CROSS JOIN ${customers} ON ${customers.id} = ${placeholder("subject")}
    WHERE ${isTakenBy(placeholder)}`,
);
