import type * as z from "zod";
import { createRouter } from "../../app-env.ts";
import { noItems } from "../../http/errors.ts";
import { fitPage } from "../../http/fit-page.ts";
import { answerItems, jsonArray } from "../../http/json-text.ts";
import { linkPages, nextLink, toPage } from "../../http/paging.ts";
import { conditional } from "../../middleware/conditional.ts";
import { validate } from "../../middleware/validate.ts";
import { byKind, toDetailed, toMine, toSimple } from "./answers.ts";
import type { CouponItems, MyCouponItems } from "./operations.ts";
import { findCoupons } from "./queries.ts";
import { COUPONS_LIMIT, CouponsQuery, cursorAfter, kindsLeft, MyCouponsQuery } from "./schema.ts";

const NOT_FOUND = "No coupons were found.";
const MY_LISTS = { store: "store", mfg: "mfg", digital: "digital" } as const;

export const coupons = createRouter().get("/", conditional, validate("query", CouponsQuery), async (c) => {
  const { includemfg, include_images, after, ...filter } = c.req.valid("query");
  const { customerId } = c.var;

  const page = toPage({ page: 1, per_page: COUPONS_LIMIT }, after?.sent);
  const found = await findCoupons(c.var.db, {
    customerId,
    filter: { ...filter, kinds: includemfg ? ["store", "mfg"] : ["store"] },
    page,
    after,
    accounts: includemfg && { includeImages: include_images },
  });
  if (found.items.length === 0) throw noItems(NOT_FOUND);

  const fitted = fitPage(found, page, (includemfg ? toDetailed : toSimple)(found, customerId));
  const next = cursorAfter(fitted, after);
  if (next) c.header("Link", nextLink(c.req.url, next));
  const items = includemfg ? byKind(fitted, { stores: "store", mfg: "mfg" }) : jsonArray(fitted.texts);
  return answerItems<z.output<typeof CouponItems>>(c, items);
});

export const myCoupons = createRouter().get("/", conditional, validate("query", MyCouponsQuery), async (c) => {
  const { after, ...query } = c.req.valid("query");
  const { customerId } = c.var;

  const page = toPage(query, after?.sent);
  const found = await findCoupons(c.var.db, {
    customerId,
    filter: { kinds: kindsLeft(query), search: query.search, storeIds: query.storeId },
    page,
    after,
    accounts: { includeImages: false },
  });
  if (found.items.length === 0) throw noItems(NOT_FOUND);

  const fitted = fitPage(found, page, toMine(found, customerId));
  linkPages(c, query.page, fitted, cursorAfter(fitted, after));
  return answerItems<z.output<typeof MyCouponItems>>(c, byKind(fitted, MY_LISTS));
});
