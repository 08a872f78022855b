import type * as z from "zod";
import { createRouter } from "../../app-env.ts";
import { noItems } from "../../http/errors.ts";
import { answerItems } from "../../http/json-text.ts";
import { pageLinks, toPage } from "../../http/paging.ts";
import { validate } from "../../middleware/validate.ts";
import { describe } from "../../openapi/describe.ts";
import { kindsLeft } from "./kinds.ts";
import { listCoupons, listMyCoupons } from "./operations.ts";
import { detailedItems, findCoupons, myItems, simpleItems } from "./queries.ts";
import { COUPONS_LIMIT, type CouponItems, CouponsQuery, type MyCouponItems, MyCouponsQuery } from "./schema.ts";

const NOT_FOUND = "No coupons were found.";

export const coupons = createRouter().get("/", describe(listCoupons), validate("query", CouponsQuery), async (c) => {
  const { includemfg, include_images, ...filter } = c.req.valid("query");

  const found = await findCoupons(c.var.db, {
    customerId: c.var.customerId,
    filter: { ...filter, kinds: includemfg ? ["store", "mfg"] : ["store"] },
    page: { offset: 0, limit: COUPONS_LIMIT },
    accounts: includemfg && { includeImages: include_images },
    details: includemfg,
  });
  if (found.length === 0) throw noItems(NOT_FOUND);

  return answerItems<z.output<typeof CouponItems>>(c, includemfg ? detailedItems(found) : simpleItems(found));
});

export const myCoupons = createRouter().get(
  "/",
  describe(listMyCoupons),
  validate("query", MyCouponsQuery),
  async (c) => {
    const query = c.req.valid("query");
    const { offset, limit } = toPage(query);

    const found = await findCoupons(c.var.db, {
      customerId: c.var.customerId,
      filter: { kinds: kindsLeft(query), search: query.search, storeIds: query.storeId },
      // One more than the page holds tells whether there is a next one.
      page: { offset, limit: limit + 1 },
      accounts: { includeImages: false },
      details: false,
    });
    if (found.length === 0) throw noItems(NOT_FOUND);

    const links = pageLinks(c.req.url, { page: query.page, hasMore: found.length > limit });
    if (links !== null) c.header("Link", links);
    return answerItems<z.output<typeof MyCouponItems>>(c, myItems(found.slice(0, limit)));
  },
);
