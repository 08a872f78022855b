import { env } from "cloudflare:workers";
import { Database } from "../../src/db/database.ts";
import { showMessages } from "../../src/inbox/message-clock.ts";

/**
 * Stops D1's clock at a time, `YYYY-MM-DD HH:MM:SS` in UTC, until the next call or the end of the file. Then shows the
 * messages of earlier seconds, because the Worker that stored them waits for a clock that runs.
 */
export async function setClock(now: string, millisecond = 0): Promise<void> {
  await stopClock(now, millisecond);
  await showStoredMessages();
}

export const showStoredMessages = () => showMessages(new Database(env.DB, "first-primary"));

/** Stops D1's clock without showing messages. */
export async function stopClock(now: string, millisecond = 0, d1 = env.DB): Promise<void> {
  await d1.batch([
    d1.prepare("DROP VIEW IF EXISTS clock"),
    d1.prepare(`CREATE VIEW clock AS SELECT '${now}' AS now, ${millisecond} AS millisecond`),
  ]);
}
