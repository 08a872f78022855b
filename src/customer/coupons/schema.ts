import * as z from "zod";
import type { Fitted } from "../../http/fit-page.ts";
import { cursorParameter, isWithinPage, NOT_IN_PAGE, PagingParameters, Sent } from "../../http/paging.ts";
import { BooleanParameter, listParameter, TextParameter } from "../../values/parameter.ts";
import { Id } from "../../values/text.ts";
import { Datetime } from "../../values/time.ts";
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

/** How many coupons the list without pages holds: a customer may have 100,000. */
export const COUPONS_LIMIT = 1_000;

/** A cursor in both coupon lists: the last coupon of an answer. */
const Cursor = z.object({
  kind: z.enum(COUPON_KINDS),
  ends_at: Datetime.or(z.literal(NEVER)),
  created_at: Datetime,
  id: Id,
  sent: Sent.max(COUPONS_LIMIT - 1),
});
export type Cursor = z.output<typeof Cursor>;

const CursorParameter = cursorParameter(Cursor).optional().describe("Set in links to the rest of a list only.");

/** Where an answer ends, for the link to the rest; `before` is where it began. */
export function cursorAfter({ shown, isCut }: Fitted<ItemRow>, before: Cursor | undefined): Cursor | undefined {
  const last = shown.at(-1);
  if (last === undefined || !isCut) return undefined;
  const [ends_at, created_at, id] = JSON.parse(last.place).slice(4);
  return { kind: last.part, ends_at, created_at, id, sent: (before?.sent ?? 0) + shown.length };
}

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
