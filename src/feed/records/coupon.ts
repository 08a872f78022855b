import { sql } from "drizzle-orm";
import * as z from "zod";
import { coupons } from "../../db/tables.ts";
import { Decimal } from "../../values/decimal.ts";
import { fold, foldAll } from "../../values/fold.ts";
import { Flag } from "../../values/number.ts";
import { orElse, orNull, passedThrough } from "../../values/scalar.ts";
import { AccountId, Field, Id, mustBe, Name } from "../../values/text.ts";
import { Datetime, End } from "../../values/time.ts";
import { ACCOUNTS } from "./account.ts";
import { CAMPAIGNS } from "./campaign.ts";
import type { StateKind, Target } from "./kind.ts";

export const COUPONS: Target = { table: "coupons", account: "account_id" };

const LINES_LIMIT = 20;

const Lines = z
  .array(Field, { error: mustBe("an array of strings") })
  .max(LINES_LIMIT, `must be at most ${LINES_LIMIT} lines`);

const Barcode = z.string({ error: mustBe("a string") }).regex(/^\d{1,15}$/, "must be 1 to 15 digits");

const fields = z.object({
  id: Id,
  account_id: AccountId,
  kind: z.enum(["store", "mfg", "digital"], { error: mustBe("store, mfg or digital") }),
  name: Name,
  type: Field,
  value: Decimal,
  campaign_id: orNull(Id),
  source_campaign_id: orNull(Field),
  header_lines: orElse(Lines, []),
  text_lines: orElse(Lines, []),
  can_expire: orElse(Flag, 0),
  expiration_type: orElse(Field, "Never_Expires"),
  expiration_date: orNull(End),
  expiration: orElse(Field, ""),
  once_per_sale: orElse(Flag, 0),
  filter_items: passedThrough(null),
  coupon_barcode: orElse(Barcode, "0"),
  is_custom: orElse(Flag, 0),
  can_combine_with_other: orElse(Flag, 0),
  created_at: orNull(Datetime),
});

export const coupon: StateKind = {
  type: "state",
  record: "coupon",
  table: coupons,
  fields,
  toRow: (record) => ({
    ...record,
    folded_type: fold(String(record.type)),
    folded_text: foldAll([record.name, record.header_lines, record.text_lines].flat()),
  }),
  columns: [...Object.keys(fields.shape), "folded_type", "folded_text"],
  json: ["header_lines", "text_lines", "filter_items"],
  key: ["id"],
  account: "account_id",
  fixed: ["account_id", "kind"],
  times: ["created_at"],
  references: [
    { field: "account_id", to: ACCOUNTS },
    { field: "campaign_id", to: CAMPAIGNS },
  ],
  faults: [
    {
      field: "campaign_id",
      text: "names a campaign of another account",
      when: sql`EXISTS (
        SELECT 1 FROM campaigns WHERE id = coupon.campaign_id AND campaigns.account_id <> coupon.account_id
      )`,
    },
  ],
  deletion: { column: "set_aside", live: 0 },
};
