import type { Context, MiddlewareHandler } from "hono";
import { type AppEnv, background, finish } from "../app-env.ts";
import type { Statement } from "../db/database.ts";
import { databaseFaultOf } from "../db/errors.ts";
import { closedForRestore, outcomeUnknown } from "../http/errors.ts";
import { Inboxes } from "../inbox/inboxes.ts";
import { notifyOfFeed } from "../inbox/notify.ts";
import type { Change } from "../inbox/outbox.ts";
import type { Actor, ChangesOfAct } from "../records/acts.ts";
import { writeMetrics } from "./metrics.ts";

/** Stands before whatever writes records and is no restore. @throws 503 while the operator restores. */
export const notDuringRestore: MiddlewareHandler<AppEnv> = async ({ env }, next) => {
  if (env.FEED === "restore") throw closedForRestore();
  await next();
};

type Statements = Readonly<Record<string, readonly Statement[]>> & { changes: readonly Statement<ChangesOfAct>[] };

/** What names an attempt of an act in its statements, and who acts. */
type ActValues = { act: string } & Actor;

/**
 * Sends the statements of an act (src/records/acts.ts), and notifies the listeners whom it concerns in the background. They run
 * in the order of their names, in one round trip to the primary and one transaction. Resolves with the rows by name.
 * @param statements those of the name `changes` return whom the act concerns.
 * @throws the failure 503 if the outcome is unknown, and 507 if the database is full.
 */
export function act<const S extends Statements>(c: Context<AppEnv>, statements: (values: ActValues) => S) {
  const { db, till, customerId } = c.var;
  const source = till === undefined ? "customer" : "till";
  const actor: Actor = { source, subject: till?.subject ?? customerId };
  // The act goes on if the client is gone: its listeners must hear of it.
  return finish(c, perform());

  async function perform() {
    try {
      const rows = await db.act((id) => statements({ act: id, ...actor }));
      // The type of the other statements, which is not known here, hides this one.
      const [changed] = rows.changes as ChangesOfAct[];
      const changes: Change[] = JSON.parse(changed?.changes ?? "[]");
      if (changes.length === 0) return rows;
      const notifying = notifyOfFeed(
        new Inboxes(c.env),
        { changes, unshown: null },
        {
          db,
          inBackground: (work) => background.run(c, work),
          onDelivery: (delivery) => writeMetrics(c.env, "delivery", { by: source, ...delivery }),
        },
      );
      background.run(c, notifying);
      return rows;
    } catch (error) {
      const fault = databaseFaultOf(error);
      throw fault === undefined || fault === "full" || fault === "daily_limit" ? error : outcomeUnknown(error);
    }
  }
}
