import { createRouter } from "./app-env.ts";
import { campaigns } from "./customer/campaigns/routes.ts";
import { coupons, myCoupons } from "./customer/coupons/routes.ts";
import { gamification } from "./customer/gamification/routes.ts";
import { live } from "./customer/live/routes.ts";
import { entries } from "./customer/me/entries/routes.ts";
import { me } from "./customer/me/routes.ts";
import { messages } from "./customer/messages/routes.ts";
import { search } from "./customer/search/routes.ts";
import { stores } from "./customer/stores/routes.ts";
import { changes } from "./feed/changes/routes.ts";
import { requests } from "./feed/requests/routes.ts";
import { feed } from "./feed/routes.ts";
import { answerFailure } from "./http/errors.ts";
import { cors } from "./middleware/cors.ts";
import { databaseAtBookmark, databaseAtPrimary } from "./middleware/database.ts";
import { knownRoutes } from "./middleware/known-routes.ts";
import { observe } from "./middleware/observe.ts";
import { securityHeaders } from "./middleware/security-headers.ts";
import { changesOnly, customerOnly, exportOnly, feedOnly, LIVE_PATH, tillOnly } from "./middleware/token.ts";
import { service } from "./service/routes.ts";
import { customers } from "./till/customers/routes.ts";
import { bookings } from "./till/entries/routes.ts";
import { explanations } from "./till/explanations/routes.ts";
import { holds } from "./till/holds/routes.ts";
import { redemptions } from "./till/redemptions/routes.ts";
import { reversals } from "./till/reversals/routes.ts";

const router = createRouter();

router.onError(answerFailure);

// A request is checked in this order: path, method, token, scope, rate of the customer. Its route then checks size, JSON and
// fields. A request without a good token is limited by its address instead, before it is refused.
router.use(observe);
router.use(securityHeaders);
router.use(cors(router));
router.use(knownRoutes(router));
router.use("/api/v1/customer/*", customerOnly, databaseAtBookmark);
// Opening a socket writes the listener's row, so it needs the primary.
router.use(LIVE_PATH, databaseAtPrimary);
// A board's age is counted from the moment of its query. A replica's data may be older than that.
router.use("/api/v1/customer/gamification/leaderboard", databaseAtPrimary);
router.post("/api/v1/feed", feedOnly, databaseAtPrimary);
// Two pages of an export must not come from replicas with different data.
router.get("/api/v1/feed", exportOnly, databaseAtPrimary);
router.get("/api/v1/feed/requests", exportOnly, databaseAtPrimary);
router.get("/api/v1/feed/changes", changesOnly, databaseAtPrimary);
// Before an endpoint that writes stands `databaseAtPrimary`.
router.use("/api/v1/till/*", tillOnly, databaseAtBookmark);

export const app = router
  .route("/api/v1/customer/campaigns", campaigns)
  .route("/api/v1/customer/coupons", coupons)
  .route("/api/v1/customer/my-coupons", myCoupons)
  .route("/api/v1/customer/full-search", search)
  .route("/api/v1/customer/gamification", gamification)
  .route(LIVE_PATH, live)
  .route("/api/v1/customer/me", me)
  .route("/api/v1/customer/me/entries", entries)
  .route("/api/v1/customer/messages", messages)
  .route("/api/v1/customer/stores", stores)
  .route("/api/v1/feed", feed)
  .route("/api/v1/feed/changes", changes)
  .route("/api/v1/feed/requests", requests)
  .route("/api/v1/till/customers", customers)
  .route("/api/v1/till/entries", bookings)
  .route("/api/v1/till/explanations", explanations)
  .route("/api/v1/till/holds", holds)
  .route("/api/v1/till/redemptions", redemptions)
  .route("/api/v1/till/reversals", reversals)
  .route("/", service);

/** The endpoints, for a client of Hono: `hc<AppType>(url)`. */
export type AppType = typeof app;
