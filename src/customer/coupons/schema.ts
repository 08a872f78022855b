import * as z from "zod";
import { cursorParameter, isWithinPage, NOT_IN_PAGE, PagingParameters } from "../../http/paging.ts";
import { BooleanParameter, listParameter, TextParameter } from "../../values/parameter.ts";
import { ID_LIMIT, Id } from "../../values/text.ts";
import { isDatetime } from "../../values/time.ts";
import { NEVER } from "../../values/time-zone.ts";
import type { ItemRow } from "./queries.ts";

/** The kinds of coupon, in the order in which their lists follow each other. */
export const COUPON_KINDS = ["store", "mfg", "digital"] as const;
export type CouponKind = (typeof COUPON_KINDS)[number];

/** The kinds that the parameters of the combined coupon list leave: they combine, so that none may be left. */
export function kindsLeft(query: {
  digitalonly: boolean;
  type?: CouponKind | undefined;
  includemfg: boolean;
}): CouponKind[] {
  return COUPON_KINDS.filter(
    (kind) =>
      (kind === "digital" || !query.digitalonly) &&
      (kind === query.type || query.type === undefined) &&
      (kind !== "mfg" || query.includemfg),
  );
}

/** A cursor in both coupon lists: the last coupon of an answer. */
export interface Cursor {
  kind: CouponKind;
  endsAt: string;
  createdAt: string;
  id: string;
  /** How many items of this page came with the answers before, because they did not fit one. */
  sent: number;
}

const CURSOR = new RegExp(
  `^(${COUPON_KINDS.join("|")}) (${NEVER}|.{19}) (.{19}) ([1-9]\\d{0,2}) (.{1,${ID_LIMIT}})$`,
  "su",
);

/** A cursor as a link carries it: `store never 2026-01-02 00:00:00 250 cc17`. */
const CursorParameter = cursorParameter((text): Cursor | undefined => {
  const [, kind, endsAt = "", createdAt = "", sent, id = ""] = CURSOR.exec(text) ?? [];
  const isValid = (endsAt === NEVER || isDatetime(endsAt)) && isDatetime(createdAt);
  return isValid ? { kind: kind as CouponKind, endsAt, createdAt, id, sent: Number(sent) } : undefined;
})
  .optional()
  .describe("Set in links to the rest of a list only.");

/** Where an answer ends, as the link to the rest carries it; `before` is where it began. */
export function cursorAfter(shown: readonly ItemRow[], before: Cursor | undefined): string | undefined {
  const last = shown.at(-1);
  if (last === undefined) return undefined;
  const sent = (before?.sent ?? 0) + shown.length;
  const [endsAt, createdAt, id] = JSON.parse(last.place).slice(4);
  return `${last.part} ${endsAt} ${createdAt} ${sent} ${id}`;
}

/** How many coupons the list without pages holds: a customer may have 100,000. */
export const COUPONS_LIMIT = 1_000;

const Search = TextParameter.optional().describe(
  "Part of the coupon's name, a header line, a text line or the chain's name; case and accents do not count.",
);

/** The parameters of the coupon list (docs/contract/interface.md, 4.4). */
export const CouponsQuery = z.object({
  includemfg: BooleanParameter.default(false).describe(
    "Whether manufacturer coupons come too: the detailed variant of the answer.",
  ),
  include_images: BooleanParameter.default(false).describe(
    "Whether `chain_logo` is filled in, in the detailed variant.",
  ),
  search: Search,
  type: TextParameter.optional().describe("The `type` of the coupons, in any case, such as `Dollar_Off`."),
  accountId: Id.optional().describe("The merchant account whose coupons are asked for."),
  after: CursorParameter,
});

/** The parameters of the combined coupon list (docs/contract/interface.md, 4.5). */
export const MyCouponsQuery = z
  .object({
    digitalonly: BooleanParameter.default(false).describe("Whether only digital coupons come."),
    search: Search,
    type: z.enum(["store", "mfg"], { error: "must be store or mfg" }).optional().describe("Only this kind of coupons."),
    storeId: listParameter(Id)
      .default([])
      .describe("The stores where coupons were issued, or whose account has digital coupons."),
    includemfg: BooleanParameter.default(true).describe("False leaves the manufacturer coupons out."),
    ...PagingParameters,
    after: CursorParameter,
  })
  .refine(isWithinPage, NOT_IN_PAGE);
