import type * as z from "zod";
import { createRouter } from "../../app-env.ts";
import { noItems } from "../../http/errors.ts";
import { answerItems } from "../../http/json-text.ts";
import { pageLinks, toPage } from "../../http/paging.ts";
import { conditional } from "../../middleware/conditional.ts";
import { validate } from "../../middleware/validate.ts";
import { detailedItems, myItems, simpleItems } from "./answers.ts";
import { kindsLeft } from "./kinds.ts";
import { findCoupons } from "./queries.ts";
import { COUPONS_LIMIT, type CouponItems, CouponsQuery, type MyCouponItems, MyCouponsQuery } from "./schema.ts";

const NOT_FOUND = "No coupons were found.";

export const coupons = createRouter().get("/", conditional(), validate("query", CouponsQuery), async (c) => {
  const { includemfg, include_images, ...filter } = c.req.valid("query");
  const { customerId } = c.var;

  const found = await findCoupons(c.var.db, {
    customerId,
    filter: { ...filter, kinds: includemfg ? ["store", "mfg"] : ["store"] },
    page: { offset: 0, limit: COUPONS_LIMIT },
    accounts: includemfg && { includeImages: include_images },
  });
  if (found.length === 0) throw noItems(NOT_FOUND);

  return answerItems<z.output<typeof CouponItems>>(c, (includemfg ? detailedItems : simpleItems)(found, customerId));
});

export const myCoupons = createRouter().get("/", conditional(), validate("query", MyCouponsQuery), async (c) => {
  const query = c.req.valid("query");
  const { offset, limit } = toPage(query);
  const { customerId } = c.var;

  const found = await findCoupons(c.var.db, {
    customerId,
    filter: { kinds: kindsLeft(query), search: query.search, storeIds: query.storeId },
    // One more than the page holds tells whether there is a next one.
    page: { offset, limit: limit + 1 },
    accounts: { includeImages: false },
  });
  if (found.length === 0) throw noItems(NOT_FOUND);

  const links = pageLinks(c.req.url, { page: query.page, hasMore: found.length > limit });
  if (links !== null) c.header("Link", links);
  return answerItems<z.output<typeof MyCouponItems>>(c, myItems(found, customerId, limit));
});
