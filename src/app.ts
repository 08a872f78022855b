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
import { lookup } from "./feed/customers/routes.ts";
import { feed } from "./feed/routes.ts";
import { answerFailure } from "./http/errors.ts";
import { cors } from "./middleware/cors.ts";
import { database } from "./middleware/database.ts";
import { knownRoutes } from "./middleware/known-routes.ts";
import { observe } from "./middleware/observe.ts";
import { securityHeaders } from "./middleware/security-headers.ts";
import { customerOnly, exportOnly, feedOnly, lookupOnly } from "./middleware/token.ts";
import { service } from "./service/routes.ts";

export const app = createRouter();

app.onError(answerFailure);

// In the order in which a request is refused: path, method, token, scope, rate; then each route: size, JSON, fields.
app.use(observe);
app.use(securityHeaders);
app.use(cors(app));
app.use(knownRoutes(app));
app.use("/api/v1/customer/*", customerOnly, database("bookmark"));
// Whoever listens is written down there.
app.use("/api/v1/customer/live", database("primary"));
// A board counts as being of the time when the database was asked, and a replica is behind that.
app.use("/api/v1/customer/gamification/leaderboard", database("primary"));
app.post("/api/v1/feed", feedOnly, database("primary"));
// The pages of an export are of one database: a replica may be behind that of the page before.
app.get("/api/v1/feed", exportOnly, database("primary"));
app.get("/api/v1/feed/customers", lookupOnly, database("bookmark"));

const routes = app
  .route("/api/v1/customer/campaigns", campaigns)
  .route("/api/v1/customer/coupons", coupons)
  .route("/api/v1/customer/my-coupons", myCoupons)
  .route("/api/v1/customer/full-search", search)
  .route("/api/v1/customer/gamification", gamification)
  .route("/api/v1/customer/live", live)
  .route("/api/v1/customer/me", me)
  .route("/api/v1/customer/me/entries", entries)
  .route("/api/v1/customer/messages", messages)
  .route("/api/v1/customer/stores", stores)
  .route("/api/v1/feed", feed)
  .route("/api/v1/feed/customers", lookup)
  .route("/", service);

/** The routes with the types of what they take and answer: a test holds the client to them. */
export type App = typeof routes;
