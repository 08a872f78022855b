import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { tokenEarnings } from "../../db/tables.ts";
import { Hundredths } from "../../values/decimal.ts";
import { orNull } from "../../values/scalar.ts";
import { Id, mustBe } from "../../values/text.ts";
import { Datetime } from "../../values/time.ts";
import { CUSTOMERS } from "./customer.ts";
import type { EventKind } from "./kind.ts";
import { STORES } from "./store.ts";

const LEVELS = [1, 2, 3, 4, 5] as const;

export const tokenEarning: EventKind = {
  type: "event",
  record: "token_earning",
  table: tokenEarnings,
  fields: z.object({
    id: Id,
    store_id: Id,
    customer_id: Id,
    level_no: z.literal(LEVELS, { error: mustBe("a level from 1 to 5") }),
    tokens: Hundredths,
    earned_at: orNull(Datetime),
  }),
  times: ["earned_at"],
  references: [
    { field: "store_id", to: STORES },
    { field: "customer_id", to: CUSTOMERS },
  ],
  faults: [
    {
      field: "customer_id",
      text: "must be a member of the store",
      // One who left still counts, so that a late line is not refused.
      when: sql`EXISTS (SELECT 1 FROM stores WHERE id = token_earning.store_id) AND NOT EXISTS (
        SELECT 1 FROM memberships AS member
        WHERE member.store_id = token_earning.store_id AND member.customer_id = token_earning.customer_id
      )`,
    },
  ],
  storedAccounts: sql`
    SELECT line, stores.account_id FROM token_earning
    JOIN token_earnings AS stored ON stored.id = token_earning.id
    JOIN stores ON stores.id = stored.store_id`,
  totals: (fresh: SQL) => [
    sql`${fresh}
      UPDATE memberships SET ${ofLevels((tokens) => `${tokens} = memberships.${tokens} + earned.${tokens}`)}
      FROM (
        SELECT store_id, customer_id, ${ofLevels((tokens, level) => `sum(tokens * (level_no = ${level})) AS ${tokens}`)}
        FROM token_earning GROUP BY store_id, customer_id
      ) AS earned
      WHERE memberships.store_id = earned.store_id AND memberships.customer_id = earned.customer_id`,
  ],
};

function ofLevels(part: (column: string, level: number) => string): SQL {
  return sql.raw(LEVELS.map((level) => part(`tokens_${level}`, level)).join(", "));
}
