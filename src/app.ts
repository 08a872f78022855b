import { customerOnly, feedOnly } from "./auth/middleware.ts";
import { cache } from "./cache/middleware.ts";
import { customer } from "./customer/routes.ts";
import { database } from "./db/middleware.ts";
import { feed } from "./feed/routes.ts";
import { createRouter } from "./http/context.ts";
import { ApiError, internalError } from "./http/errors.ts";
import { knownRoutes } from "./http/known-routes.ts";
import { observe } from "./http/observe.ts";

export const app = createRouter();

app.onError((error, c) => {
  const { body, status, headers } = error instanceof ApiError ? error : internalError(c.var.requestId);
  return c.json(body, status, headers);
});

// In the order in which a request is refused: path, method, token, scope, rate; then each route: size, JSON, fields.
app.use(observe());
app.use(knownRoutes(app));
app.use("/api/v1/customer/*", customerOnly(), database("first-unconstrained"), cache());
// A replica may know a second only in part, and then a poller would miss the rest of it.
app.use("/api/v1/customer/messages", database("first-primary"));
app.use("/api/v1/feed", feedOnly(), database("first-primary"), cache());

app.route("/api/v1/customer", customer);
app.route("/api/v1/feed", feed);
