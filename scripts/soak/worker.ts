// The service, with a database whose primary stalls after a request for STALL_PATH.
import service, { FanOut, Inbox as ServiceInbox } from "../../src/index.ts";
import { STALL_PATH } from "./stall-path.ts";

const LOOK_AGAIN_MS = 50;

let stalledUntil = 0;

export { FanOut };

export class Inbox extends ServiceInbox {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, stallable(env));
  }
}

export default {
  async fetch(request, env, context) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== STALL_PATH) return service.fetch(request, stallable(env), context);
    stalledUntil = Date.now() + Number(searchParams.get("ms"));
    return new Response();
  },
  scheduled: (controller, env, context) => service.scheduled?.(controller, stallable(env), context),
} satisfies ExportedHandler<Env>;

function stallable(env: Env): Env {
  return { ...env, DB: stallableDatabase(env.DB) };
}

/** A database whose primary answers only after a stall. Half of the batches are committed before the stall ends. */
function stallableDatabase(database: D1Database): D1Database {
  const withSession = (start?: string) => {
    const session = database.withSession(start);
    const batch = async <Row>(statements: D1PreparedStatement[]) => {
      if (Math.random() < 0.5) await endOfStall();
      const results = await session.batch<Row>(statements);
      await endOfStall();
      return results;
    };
    if (start !== "first-primary") return session;
    return { prepare: session.prepare.bind(session), getBookmark: session.getBookmark.bind(session), batch };
  };
  return { withSession } as D1Database;
}

async function endOfStall(): Promise<void> {
  while (Date.now() < stalledUntil) await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
}
