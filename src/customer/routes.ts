import { createRouter } from "../app-env.ts";
import { campaigns } from "./campaigns/routes.ts";
import { coupons, myCoupons } from "./coupons/routes.ts";
import { gamification } from "./gamification/routes.ts";
import { live } from "./live/routes.ts";
import { entries } from "./me/entries/routes.ts";
import { me } from "./me/routes.ts";
import { messages } from "./messages/routes.ts";
import { search } from "./search/routes.ts";
import { stores } from "./stores/routes.ts";

/** Everything below /api/v1/customer: what a customer may ask. */
export const customer = createRouter()
  .route("/campaigns", campaigns)
  .route("/coupons", coupons)
  .route("/my-coupons", myCoupons)
  .route("/full-search", search)
  .route("/gamification", gamification)
  .route("/live", live)
  .route("/me", me)
  .route("/me/entries", entries)
  .route("/messages", messages)
  .route("/stores", stores);
