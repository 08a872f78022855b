import * as z from "zod";
import { createRouter } from "../../app-env.ts";
import { noItems } from "../../http/errors.ts";
import { answerItems, type JsonText, jsonArray, jsonObject, mergeObjects, storedJson } from "../../http/json-text.ts";
import {
  cursorParameter,
  type Fitted,
  fitPage,
  linkPages,
  nextLink,
  PageCursor,
  PagingParameters,
  toPage,
} from "../../http/paging.ts";
import { conditional } from "../../middleware/conditional.ts";
import { validateQuery } from "../../middleware/validate.ts";
import { BooleanParameter, listParameter, TextParameter } from "../../values/parameter.ts";
import { Id } from "../../values/text.ts";
import { type CouponList, findCoupons, type ItemRow } from "./queries.ts";
import { COUPON_KINDS, type CouponKind } from "./valid-coupons.ts";

/** The kinds that pass the filters of the combined list. May be empty. */
function kindsAllowedBy(query: z.output<typeof MyCouponsQuery>): CouponKind[] {
  return COUPON_KINDS.filter(
    (kind) =>
      (kind === "digital" || !query.digitalonly) &&
      (kind === query.type || query.type === undefined) &&
      (kind !== "mfg" || query.includemfg),
  );
}

/** The most coupons of the list that has no pages. A customer may hold 100,000. */
export const COUPONS_LIMIT = 1_000;

const Search = TextParameter.optional().describe(
  "Part of the coupon's name, a header line, a text line or the chain's name; case and accents do not count.",
);

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
  after: cursorParameter(PageCursor),
});

export const MyCouponsQuery = z.object({
  digitalonly: BooleanParameter.default(false).describe("Whether only digital coupons come."),
  search: Search,
  type: z.enum(["store", "mfg"], { error: "must be store or mfg" }).optional().describe("Only this kind of coupons."),
  storeId: listParameter(Id)
    .default([])
    .describe("Only coupons issued at these stores, and digital coupons of their accounts."),
  includemfg: BooleanParameter.default(true).describe("False leaves the manufacturer coupons out."),
  ...PagingParameters,
  after: cursorParameter(PageCursor),
});

const NOT_FOUND = "No coupons were found.";

/** Writes the items of a list from the JSON of the database, which is not parsed. */
function itemWriter({ coupons, accounts }: CouponList): (item: ItemRow) => JsonText {
  return ({ key, account_key, record }) => {
    const coupon = storedJson(coupons.get(key) ?? "null");
    const account = accounts.get(account_key);
    const withAccount = account === undefined ? [] : [jsonObject({ account: storedJson(account) })];
    // Nobody holds a digital coupon, so it has no record of its own.
    return record === null
      ? mergeObjects(...withAccount, jsonObject({ coupon }))
      : mergeObjects(storedJson(record), coupon, ...withAccount);
  };
}

/** The coupons of one kind in an answer. */
function ofKind({ shown, texts }: Fitted<ItemRow>, kind: CouponKind): JsonText {
  return jsonArray(texts.filter((_, index) => shown[index]?.part === kind));
}

export const coupons = createRouter().get("/", conditional, validateQuery(CouponsQuery), async (c) => {
  const { includemfg, include_images, after, ...filter } = c.req.valid("query");

  const wholeList = { page: 1, per_page: COUPONS_LIMIT, after };
  const found = await findCoupons(c.var.db, {
    customerId: c.var.customerId,
    filter: { ...filter, kinds: includemfg ? ["store", "mfg"] : ["store"] },
    page: toPage(wholeList),
    accounts: includemfg ? { includeImages: include_images } : null,
    isDetailed: includemfg,
  });
  if (found.items.length === 0) throw noItems(NOT_FOUND);

  const fitted = fitPage(found, wholeList, itemWriter(found));
  if (fitted.rest) c.header("Link", nextLink(c.req.url, fitted.rest));
  const items = includemfg
    ? jsonObject({ stores: ofKind(fitted, "store"), mfg: ofKind(fitted, "mfg") })
    : jsonArray(fitted.texts);
  return answerItems(c, items);
});

export const myCoupons = createRouter().get("/", conditional, validateQuery(MyCouponsQuery), async (c) => {
  const query = c.req.valid("query");

  const found = await findCoupons(c.var.db, {
    customerId: c.var.customerId,
    filter: { kinds: kindsAllowedBy(query), search: query.search, storeIds: query.storeId },
    page: toPage(query),
    accounts: { includeImages: false },
  });
  if (found.items.length === 0) throw noItems(NOT_FOUND);

  const fitted = fitPage(found, query, itemWriter(found));
  linkPages(c, query, fitted);
  const items = jsonObject({
    store: ofKind(fitted, "store"),
    mfg: ofKind(fitted, "mfg"),
    digital: ofKind(fitted, "digital"),
  });
  return answerItems(c, items);
});
