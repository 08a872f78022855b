import { sql } from "drizzle-orm";
import * as z from "zod";
import { CouponText } from "../../customer/coupons/coupon-text.ts";
import { coupons } from "../../db/tables.ts";
import { Decimal } from "../../values/decimal.ts";
import { Flag } from "../../values/number.ts";
import { orElse, orNull, passedThrough } from "../../values/scalar.ts";
import { AccountId, Id, mustBe, Name, ShortText, text } from "../../values/text.ts";
import { End, FedTime } from "../../values/time.ts";
import { lastSecondOfEnd, shownEnd, TimeZone } from "../../values/time-zone.ts";
import { fold, foldAll } from "../../values/words.ts";
import { account } from "./account.ts";
import { campaign } from "./campaign.ts";
import { defineKind } from "./define-kind.ts";

const PRINTED_LINES_LIMIT = 20;

const PrintedLines = z
  .array(text(200), { error: mustBe("an array of strings") })
  .max(PRINTED_LINES_LIMIT, `must be at most ${PRINTED_LINES_LIMIT} lines`);

const Barcode = z.string({ error: mustBe("a string") }).regex(/^\d{1,15}$/, "must be 1 to 15 digits");

/**
 * A coupon of an account. A `customer_coupon` issues a coupon of kind store or mfg to a customer. A changed coupon notifies
 * nobody, because it may have a million holders (docs/contract/live.md).
 */
export const coupon = defineKind(coupons, {
  record: "coupon",
  fields: {
    id: Id,
    account_id: AccountId,
    kind: z.enum(coupons.kind.enumValues, { error: mustBe("store, mfg or digital") }),
    name: Name,
    type: ShortText,
    value: Decimal,
    campaign_id: orNull(Id),
    source_campaign_id: orNull(ShortText),
    header_lines: orElse(PrintedLines, []),
    text_lines: orElse(PrintedLines, []),
    can_expire: orElse(Flag, 0),
    expiration_type: orElse(ShortText, "Never_Expires"),
    expiration_date: orNull(End),
    time_zone: orElse(TimeZone, "UTC"),
    expiration: orElse(ShortText, ""),
    once_per_sale: orElse(Flag, 0),
    filter_items: passedThrough(null),
    coupon_barcode: orElse(Barcode, "0"),
    is_custom: orElse(Flag, 0),
    can_combine_with_other: orElse(Flag, 0),
    created_at: orNull(FedTime),
  },
  // `defineKind` adds `account_key` and the columns with the name of a field. A line that deletes sets `deleted`.
  columns: {
    filter_items: { field: "filter_items", as: "json" },
    // The fields of the lists of coupons: one JSON text, which answers show as it is.
    text: {
      together: CouponText.keyof().options,
      storedAs: ({ expiration_date, time_zone }) => ({ expiration_date: shownEnd(expiration_date, time_zone) }),
    },
    ends_at: {
      made: ({ can_expire, expiration_date, time_zone }) =>
        lastSecondOfEnd(can_expire === 1 ? expiration_date : null, time_zone),
    },
    folded_type: { made: ({ type }) => fold(type) },
    folded_text: {
      made: ({ name, header_lines, text_lines }) => foldAll([name, ...header_lines, ...text_lines]),
    },
  },
  fixed: ["kind"],
  references: { account_id: account, campaign_id: campaign },
  faults: [
    {
      field: "campaign_id",
      text: "names a campaign of another account",
      // `line` has the key of each reference: `campaign_key` is the key of the campaign that `campaign_id` names.
      when: sql`EXISTS (
        SELECT 1 FROM campaigns
        WHERE campaigns.key = line.campaign_key AND campaigns.account_key <> line.account_key
      )`,
    },
  ],
  oftenSmall: true,
  exportPageLimit: "largestRow",
});
