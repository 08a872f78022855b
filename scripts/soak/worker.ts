// The service, with a database whose primary stalls once a minute.
import service, { FanOut, Inbox as ServiceInbox } from "../../src/index.ts";
import { endOfStall, type Stalls } from "./stalls.ts";

export { FanOut };

export class Inbox extends ServiceInbox {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, stallable(env));
  }
}

export default {
  fetch: (request, env, context) => service.fetch(request, stallable(env), context),
  scheduled: (controller, env, context) => service.scheduled?.(controller, stallable(env), context),
} satisfies ExportedHandler<Env>;

function stallable(env: Env): Env {
  const { STALLS } = env as Env & { STALLS: string };
  return { ...env, DB: stallableDatabase(env.DB, JSON.parse(STALLS)) };
}

/** A database whose primary answers only after a stall. Half of the batches are committed before the stall ends. */
function stallableDatabase(database: D1Database, stalls: Stalls): D1Database {
  const withSession = (start?: string) => {
    const session = database.withSession(start);
    if (start !== "first-primary") return session;
    const batch = async <Row>(statements: D1PreparedStatement[]) => {
      if (Math.random() < 0.5) await untilStallEnds(stalls);
      const results = await session.batch<Row>(statements);
      await untilStallEnds(stalls);
      return results;
    };
    return { prepare: session.prepare.bind(session), getBookmark: session.getBookmark.bind(session), batch };
  };
  return { withSession } as D1Database;
}

async function untilStallEnds(stalls: Stalls): Promise<void> {
  const milliseconds = endOfStall(stalls) - Date.now();
  if (milliseconds > 0) await new Promise((resolve) => setTimeout(resolve, milliseconds));
}
