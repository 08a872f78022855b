import type { Context } from "hono";
import { type AppEnv, createRouter } from "../../app-env.ts";
import { databaseFaultOf } from "../../db/errors.ts";
import { foreignPage, unavailable, upgradeRequired } from "../../http/errors.ts";
import { Inboxes } from "../../inbox/inboxes.ts";
import { beginListening } from "../../inbox/listeners.ts";
import { showOnceOver } from "../../inbox/message-clock.ts";
import { isAllowedOrigin, isSameOrigin } from "../../middleware/cors.ts";
import { offeredSubprotocols, SUBPROTOCOL } from "../../middleware/token.ts";

export const live = createRouter().get("/", async (c) => {
  const isHandshake = c.req.method === "GET" && c.req.header("Upgrade")?.toLowerCase() === "websocket";
  if (!isHandshake) throw upgradeRequired();
  refuseForeignPage(c);
  const { customerId, tokenExpires, tokenNames, db } = c.var;

  // The customer listens before the socket opens, so that no change is missed after hello.
  const { subscription, unshown } = await beginListening(db, customerId, Date.now()).catch((error: unknown) =>
    databaseFaultOf(error) === "full" ? cannotListen("the database is full")(error) : Promise.reject(error),
  );
  // The feed request of their newest message may have notified nobody, so hello must cover it.
  if (unshown !== null)
    subscription.bookmark = await showOnceOver(db, unshown).catch(cannotListen("a new message cannot be shown"));
  const { webSocket } = await new Inboxes(c.env)
    .connect({ customerId, tokenExpires, tokenNames, subscription })
    .catch(cannotListen("inboxes cannot be reached"));
  const hasSubprotocol = offeredSubprotocols(c).includes(SUBPROTOCOL);
  const headers = new Headers(hasSubprotocol ? { "Sec-WebSocket-Protocol": SUBPROTOCOL } : {});
  return new Response(null, { status: 101, webSocket, headers });
});

function cannotListen(why: string) {
  return (cause: unknown): never => {
    throw unavailable(`Nobody can listen: ${why}. Poll, and try again later.`, cause);
  };
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
