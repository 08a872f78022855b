import * as z from "zod";
import { isWithinPage, NOT_IN_PAGE, PagingParameters } from "../../http/paging.ts";
import { BooleanParameter, listParameter, TextParameter } from "../../values/parameter.ts";
import { Id } from "../../values/text.ts";
import { CursorParameter } from "./cursor.ts";

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
