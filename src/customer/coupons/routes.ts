import type * as z from "zod";
import { createRouter } from "../../app-env.ts";
import { noItems } from "../../http/errors.ts";
import { answerItems, type JsonText, jsonArray, jsonObject } from "../../http/json-text.ts";
import { beginPage, linkPages, type Shown, showFirst } from "../../http/paging.ts";
import { conditional } from "../../middleware/conditional.ts";
import { validateQuery } from "../../middleware/validate.ts";
import { itemWriter, placeOf } from "./items.ts";
import { findCoupons, type ItemRow } from "./queries.ts";
import { COUPON_KINDS, COUPONS_LIMIT, type CouponKind, CouponsQuery, MyCouponsQuery } from "./schema.ts";
import { BEGINNING } from "./valid-coupons.ts";

const NOT_FOUND = "No coupons were found.";

/** The kinds that pass the filters of the combined list. May be empty. */
function kindsAllowedBy(query: z.output<typeof MyCouponsQuery>): CouponKind[] {
  return COUPON_KINDS.filter(
    (kind) =>
      (kind === "digital" || !query.digitalonly) &&
      (kind === query.type || query.type === undefined) &&
      (kind !== "mfg" || query.includemfg),
  );
}

function ofKind({ items, texts }: Shown<ItemRow>, kind: CouponKind): JsonText {
  return jsonArray(texts.filter((_, index) => items[index]?.part === kind));
}

export const coupons = createRouter().get("/", conditional, validateQuery(CouponsQuery), async (c) => {
  const { includemfg, include_images, after, ...filter } = c.req.valid("query");
  const page = await beginPage(c, { per_page: COUPONS_LIMIT, after }, BEGINNING);

  const found = await findCoupons(c.var.db, {
    customerId: c.var.customerId,
    filter: { ...filter, kinds: includemfg ? ["store", "mfg"] : ["store"] },
    page,
    accounts: includemfg ? { includeImages: include_images } : null,
    isDetailed: includemfg,
  });
  if (found.items.length === 0) throw noItems(NOT_FOUND);

  const shown = showFirst(found.items, itemWriter(found), page);
  await linkPages(c, {}, shown.last && placeOf(shown.last));
  const items = includemfg
    ? jsonObject({ stores: ofKind(shown, "store"), mfg: ofKind(shown, "mfg") })
    : jsonArray(shown.texts);
  return answerItems(c, items);
});

export const myCoupons = createRouter().get("/", conditional, validateQuery(MyCouponsQuery), async (c) => {
  const query = c.req.valid("query");
  const page = await beginPage(c, query, BEGINNING);

  const found = await findCoupons(c.var.db, {
    customerId: c.var.customerId,
    filter: { kinds: kindsAllowedBy(query), search: query.search, storeIds: query.storeId },
    page,
    accounts: { includeImages: false },
  });
  if (found.items.length === 0) throw noItems(NOT_FOUND);

  const shown = showFirst(found.items, itemWriter(found), page);
  await linkPages(c, query, shown.last && placeOf(shown.last));
  const lists = COUPON_KINDS.map((kind) => [kind, ofKind(shown, kind)]);
  return answerItems(c, jsonObject(Object.fromEntries(lists)));
});
