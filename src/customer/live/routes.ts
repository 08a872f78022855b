import type { Context } from "hono";
import { type AppEnv, background, createRouter } from "../../app-env.ts";
import { databaseFaultOf } from "../../db/errors.ts";
import { foreignPage, unavailable, upgradeRequired } from "../../http/errors.ts";
import { Inboxes } from "../../inbox/inboxes.ts";
import { beginListening } from "../../inbox/listeners.ts";
import { showOnceOver } from "../../inbox/notify.ts";
import { isAllowedOrigin, isSameOrigin } from "../../middleware/cors.ts";
import { offeredSubprotocols, SUBPROTOCOL } from "../../middleware/token.ts";

export const live = createRouter().get("/", async (c) => {
  const isHandshake = c.req.method === "GET" && c.req.header("Upgrade")?.toLowerCase() === "websocket";
  if (!isHandshake) throw upgradeRequired();
  refuseForeignPage(c);
  const { customerId, tokenExpires, db } = c.var;

  const at = Date.now();
  // The customer listens before the socket opens, so that no change is missed after hello.
  const { newestAt, unshown } = await beginListening(db, customerId).catch((error: unknown) => {
    throw databaseFaultOf(error) === "full" ? cannotListen("the database is full", error) : error;
  });
  // The Worker that stored the message may have ended, and an open app should not wait for the schedule to show it.
  if (unshown !== null) background.run(c, showOnceOver(db, unshown));
  const subscription = { newestAt, at };
  const messageWaitMs = unshown && Math.max(0, unshown.shownAt - Date.now());
  const { webSocket } = await new Inboxes(c.env)
    .connect({ customerId, tokenExpires, subscription, messageWaitMs })
    .catch((cause: unknown) => {
      throw cannotListen("inboxes cannot be reached", cause);
    });
  const hasSubprotocol = offeredSubprotocols(c).includes(SUBPROTOCOL);
  const headers = new Headers(hasSubprotocol ? { "Sec-WebSocket-Protocol": SUBPROTOCOL } : {});
  return new Response(null, { status: 101, webSocket, headers });
});

function cannotListen(why: string, cause: unknown) {
  return unavailable(`Nobody can listen: ${why}. Poll, and try again later.`, cause);
}

/**
 * A browser sends no preflight for a WebSocket, so the origin is checked here. React Native on Android sends the service's
 * own origin, in the spelling of the address that the app opens.
 */
function refuseForeignPage({ req, env }: Context<AppEnv>): void {
  const origin = req.header("Origin");
  if (origin === undefined || isSameOrigin(origin, new URL(req.url).origin) || isAllowedOrigin(env, origin)) return;
  throw foreignPage();
}
