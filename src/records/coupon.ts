import { sql } from "drizzle-orm";
import { integer, text as textColumn } from "drizzle-orm/sqlite-core";
import * as z from "zod";
import { fed, fedJson, fedTime, fixed, key, owner, refersTo, rowKey, softDelete, together } from "../db/columns.ts";
import { state } from "../db/record.ts";
import { Decimal } from "../values/decimal.ts";
import { fold, foldAll } from "../values/fold.ts";
import { Flag } from "../values/number.ts";
import { orNull, passedThrough, withDefault } from "../values/scalar.ts";
import { AccountId, Id, mustBe, Name, ShortText, text } from "../values/text.ts";
import { End, endsBefore, FedTime } from "../values/time.ts";
import { lastSecondOfEnd, shownEnd, TimeZone } from "../values/time-zone.ts";
import { account } from "./account.ts";
import { campaign, campaigns } from "./campaign.ts";

const PRINTED_LINES_LIMIT = 20;

const PrintedLines = z
  .array(text(200), { error: mustBe("an array of strings") })
  .max(PRINTED_LINES_LIMIT, `must be at most ${PRINTED_LINES_LIMIT} lines`);

const Barcode = z
  .string({ error: mustBe("a string") })
  .regex(/^[ -~]{1,70}$/, "must be 1 to 70 printable ASCII characters");

/** Lists have them in this order, which is the order of the texts from the last to the first. */
const KINDS = ["store", "mfg", "digital"] as const;

/**
 * A coupon of an account. A `customer_coupon` issues a coupon of kind store or mfg to a customer. A changed coupon notifies
 * nobody, because it may have a million holders (docs/contract/live.md).
 */
const record = state(
  "coupon",
  "coupons",
  {
    key: rowKey(),
    id: key(fed(textColumn().notNull().unique(), Id)),
    account_key: owner(fixed(refersTo(account, { account_id: AccountId }))),
    kind: fixed(fed(textColumn({ enum: KINDS }).notNull(), z.enum(KINDS, { error: mustBe("store, mfg or digital") }))),
    /** The campaign's id, because answers show it; NULL: none. The line has `campaign_key`, for `check`. */
    campaign_id: {
      ...refersTo(campaign, { campaign_id: orNull(Id) }),
      column: textColumn(),
      isOptional: true,
      keyOnLine: "campaign_key",
      value: sql`line.campaign_id`,
    },
    /** Plain text, no reference. */
    source_campaign_id: fed(textColumn(), orNull(ShortText)),
    /** As fed: a time, or a date in the time zone. */
    expiration_date: fed(textColumn(), orNull(End)),
    time_zone: fed(textColumn().notNull(), withDefault(TimeZone, "UTC")),
    filter_items: fedJson(passedThrough(null)),
    coupon_barcode: fed(textColumn().notNull(), withDefault(Barcode, "0")),
    is_custom: fed(integer().notNull(), withDefault(Flag, 0)),
    can_combine_with_other: fed(integer().notNull(), withDefault(Flag, 0)),
    created_at: fedTime(orNull(FedTime)),
    deleted: softDelete(),
    /** What the coupon has in every answer. */
    text: together({
      name: Name,
      type: ShortText,
      value: Decimal,
      header_lines: withDefault(PrintedLines, []),
      text_lines: withDefault(PrintedLines, []),
      can_expire: withDefault(Flag, 0),
      expiration_type: withDefault(ShortText, "Never_Expires"),
      expiration: withDefault(ShortText, ""),
      once_per_sale: withDefault(Flag, 0),
    }),
  },
  {
    made: {
      /** The last valid second, in UTC. */
      ends_at: ({ can_expire, expiration_date, time_zone }) =>
        lastSecondOfEnd(can_expire === 1 ? expiration_date : null, time_zone),
      folded_type: ({ type }) => fold(type),
      folded_text: ({ name, header_lines, text_lines }) => foldAll([name, ...header_lines, ...text_lines]),
    },
    alsoTogether: ({ account_id, expiration_date, time_zone }) => ({
      account_id,
      expiration_date: shownEnd(expiration_date, time_zone),
    }),
    rules: ({ can_expire, expiration_date, time_zone, created_at }) =>
      can_expire === 1 && endsBefore(lastSecondOfEnd(expiration_date, time_zone), created_at)
        ? { expiration_date: ["must not be before created_at"] }
        : {},
    check: [
      {
        field: "campaign_id",
        text: "names a campaign of another account",
        unlessChanged: "account_id",
        when: sql`EXISTS (
          SELECT 1 FROM ${campaigns}
          WHERE ${campaigns.key} = line.campaign_key AND ${campaigns.account_key} <> line.account_key
        )`,
      },
    ],
    idsAtOnce: true,
    hasLongRows: true,
  },
);
export const coupons = record.table;

/** A line may end before the time at which it is stored, which an export then gives as `created_at`. */
export const coupon = { ...record, restored: { rules: () => ({}) } };
