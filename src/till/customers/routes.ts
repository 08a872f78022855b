import { createRouter } from "../../app-env.ts";
import { itemWriter, placeOf } from "../../customer/coupons/items.ts";
import type { CouponList, ItemRow } from "../../customer/coupons/queries.ts";
import { COUPONS_LIMIT } from "../../customer/coupons/schema.ts";
import { BEGINNING } from "../../customer/coupons/valid-coupons.ts";
import { invalid, notFound } from "../../http/errors.ts";
import { answerItems, type JsonText, jsonArray, mergeObjects, toJson } from "../../http/json-text.ts";
import { beginPage, linkPages, showFirst } from "../../http/paging.ts";
import { validateBody, validateQuery } from "../../middleware/validate.ts";
import { checksOf, HELD_CHECKS } from "../coupons/checks.ts";
import { accountsIn, mustStandAt, notCovered } from "../coverage.ts";
import { findTillCoupons } from "./coupons/queries.ts";
import { type TillCoupon, TillCouponsQuery } from "./coupons/schema.ts";
import { findByCard } from "./queries.ts";
import { type CardHolder, FindBody } from "./schema.ts";

/** Writes the items of a list with what a till needs to know of each. */
function tillItemWriter(list: CouponList): (item: ItemRow) => JsonText {
  const write = itemWriter(list);
  return (item) => {
    if (item.facts === null) return mergeObjects(write(item), toJson({ redeemable: true }));
    const failed = checksOf([...HELD_CHECKS, "a_use_is_free"], JSON.parse(item.facts)).filter(({ holds }) => !holds);
    return mergeObjects(write(item), toJson({ redeemable: false, checks: failed }));
  };
}

export const customers = createRouter()
  .post("/find", validateBody(FindBody), async (c) => {
    const { scan_id: scanId } = c.req.valid("json");

    const items = await findByCard(c.var.db, { scanId, accounts: accountsIn(c.var.till) });
    if (items === null) throw invalid({ scan_id: ["is not the card of one customer"] });
    if (items.length === 0) throw notFound("No customer has this card.");

    return answerItems<CardHolder[]>(c, toJson(items));
  })
  .get("/:id/coupons", validateQuery(TillCouponsQuery), async (c) => {
    const { store_id: storeId, after } = c.req.valid("query");
    const { till, db } = c.var;
    mustStandAt(till, storeId);
    const page = await beginPage(c, { per_page: COUPONS_LIMIT, after }, BEGINNING);

    const asked = { customerId: c.req.param("id"), storeId, accounts: accountsIn(till), page };
    const { place, valid, ended } = await findTillCoupons(db, asked);
    if (!place?.is_covered) throw notCovered();
    if (!place.has_store) throw notFound("There is no store with this id.");
    if (!place.has_customer) throw notFound("There is no customer with this id.");

    const shown = showFirst(valid.items, tillItemWriter(valid), page);
    await linkPages(c, {}, shown.last && placeOf(shown.last));
    // The last page ends with what the customer asks about most.
    const over = shown.last === undefined ? showFirst(ended.items, tillItemWriter(ended)).texts : [];
    return answerItems<TillCoupon[]>(c, jsonArray([...shown.texts, ...over]));
  });
