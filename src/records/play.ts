import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type * as z from "zod";
import { fed, fedHundredths, fedTime, key, keyOf, owner, refersTo, storingRequest } from "../db/columns.ts";
import { EventId, withSummaries } from "../db/derived/summaries.ts";
import { derivedTotal } from "../db/derived/totals.ts";
import type { Kind } from "../db/kind.ts";
import { event } from "../db/record.ts";
import { pick } from "../db/select.ts";
import { DecimalText, TotalText, toHundredths } from "../values/decimal.ts";
import { SignedCount, TotalCount } from "../values/number.ts";
import { orNull, withDefault } from "../values/scalar.ts";
import { Id } from "../values/text.ts";
import { FedTime } from "../values/time.ts";
import { eipCampaign } from "./eip-campaign.ts";
import { employee } from "./employee.ts";
import { ofAnotherAccount, store } from "./store.ts";

const runs = (decimal: typeof DecimalText) => withDefault(decimal, "0").transform(toHundredths);
const count = (whole: z.ZodInt) => withDefault(whole, 0);

/** What an employee scored at a location in a campaign. */
const record = event(
  "play",
  "plays",
  {
    id: key(fed(text().primaryKey(), EventId)),
    eip_campaign_key: owner(refersTo(eipCampaign, { eip_campaign_id: Id })),
    location_key: refersTo(store, { location_id: Id }),
    employee_key: refersTo(employee, { employee_id: Id }),
    runs: fedHundredths(runs(DecimalText)),
    hits: fed(integer().notNull(), count(SignedCount)),
    doubles: fed(integer().notNull(), count(SignedCount)),
    triples: fed(integer().notNull(), count(SignedCount)),
    played_at: fedTime(orNull(FedTime)),
    request: storingRequest(),
  },
  { time: "played_at", correction: "one with negative counts and runs" },
);
const plays = record.table;

/** Derived: the sums of an employee's plays at a location in a campaign. */
export const playTotals = sqliteTable(
  "play_totals",
  {
    location_key: keyOf(store).notNull(),
    eip_campaign_key: keyOf(eipCampaign).notNull(),
    employee_key: keyOf(employee).notNull(),
    /** In hundredths. */
    runs: integer().notNull(),
    hits: integer().notNull(),
    doubles: integer().notNull(),
    triples: integer().notNull(),
  },
  (total) => [primaryKey({ columns: [total.location_key, total.eip_campaign_key, total.employee_key] })],
);

/** The sums of an employee's plays at a location in a campaign. Even a play without counts puts the employee on the board. */
export const totalsOfPlays = derivedTotal({
  events: record,
  table: playTotals,
  storedAs: "rows",
  keys: pick(plays, "location_key", "eip_campaign_key", "employee_key"),
  measures: pick(plays, "runs", "hits", "doubles", "triples"),
});

// A restore takes larger counts, in summaries.
const total = count(TotalCount);

export const play = {
  ...record,
  check: [
    ofAnotherAccount("eip_campaign_id", "eip_campaign_key", "a campaign", eipCampaign, "location_key"),
    ofAnotherAccount("employee_id", "employee_key", "an employee", employee, "location_key"),
  ],
  write: { totals: [totalsOfPlays] },
  ...withSummaries(record, { runs: runs(TotalText), hits: total, doubles: total, triples: total }, [
    { by: ["location_key", "eip_campaign_key", "employee_key"], adds: ["runs", "hits", "doubles", "triples"] },
  ]),
} satisfies Kind;
