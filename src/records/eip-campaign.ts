import { text } from "drizzle-orm/sqlite-core";
import { fed, fixed, key, owner, refersTo, rowKey, softDelete } from "../db/columns.ts";
import { state } from "../db/record.ts";
import { orNull, withDefault } from "../values/scalar.ts";
import { AccountId, Id, Name } from "../values/text.ts";
import { DateOnly, endsBefore } from "../values/time.ts";
import { firstSecondOf, lastSecondOfEnd, TimeZone } from "../values/time-zone.ts";
import { account } from "./account.ts";

/** A campaign of the employee incentive program (EIP), which ranks employees by their plays. */
export const eipCampaign = state(
  "eip_campaign",
  "eip_campaigns",
  {
    key: rowKey(),
    id: key(fed(text().notNull().unique(), Id)),
    account_key: owner(fixed(refersTo(account, { account_id: AccountId }))),
    name: fed(text().notNull(), Name),
    start_date: fed(text().notNull(), DateOnly),
    /** The last day; NULL: it has no end. */
    end_date: fed(text(), orNull(DateOnly)),
    time_zone: fed(text().notNull(), withDefault(TimeZone, "UTC")),
    deleted: softDelete(),
  },
  {
    made: {
      starts_at: ({ start_date, time_zone }) => firstSecondOf(start_date, time_zone),
      ends_at: ({ end_date, time_zone }) => lastSecondOfEnd(end_date, time_zone),
    },
    rules: ({ start_date, end_date }) =>
      endsBefore(end_date, start_date) ? { end_date: ["must not be before start_date"] } : {},
    idsAtOnce: true,
  },
);
