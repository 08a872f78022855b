import { createRouter } from "../http/context.ts";
import { campaigns } from "./campaigns/routes.ts";
import { coupons, myCoupons } from "./coupons/routes.ts";

/** Everything below /api/v1/customer: what a customer may ask. */
export const customer = createRouter()
  .route("/campaigns", campaigns)
  .route("/coupons", coupons)
  .route("/my-coupons", myCoupons);
