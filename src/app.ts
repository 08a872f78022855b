import { createRouter } from "./app-env.ts";
import { customer } from "./customer/routes.ts";
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
  .route("/api/v1/customer", customer)
  .route("/api/v1/feed", feed)
  .route("/api/v1/feed/customers", lookup)
  .route("/", service);

/** The routes with the types of what they take and answer: a test holds the client to them. */
export type App = typeof routes;
