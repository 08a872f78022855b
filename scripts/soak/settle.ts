import { setTimeout as sleep } from "node:timers/promises";
import { askDatabase, type Where } from "../lib/database.ts";
import { DELIVERED_WITHIN_MS } from "./deliveries.ts";
import { type Ledger, STORED_MESSAGES, type StoredMessage } from "./ledger.ts";
import type { OpenApps } from "./open-apps.ts";
import type { LiveReport } from "./report.ts";
import type { OnError } from "./stalls.ts";

export interface Settling {
  url: string;
  where: Where;
  apps: OpenApps;
  ledger: Ledger;
  onError: OnError;
}

// The schedule leaves alone what a feed request may still be notifying of: twenty seconds, and the one that is not over.
const DRAINED_AFTER_MS = 22_000;
const LOOK_AGAIN_MS = 1_000;
const LONGEST_MS = 60_000;

/** A minute of the schedule, which `wrangler dev` never runs by itself. */
export async function runSchedule(url: string, onError: OnError): Promise<void> {
  const startedAt = Date.now();
  const answer = fetch(`${url}/__scheduled`, { signal: AbortSignal.timeout(LONGEST_MS) });
  const fault = await answer.then(
    ({ ok, status }) => (ok ? null : String(status)),
    (error: unknown) => String(error),
  );
  if (fault !== null) onError(`schedule: ${fault}`, startedAt);
}

/** After the last feed request: runs the schedule, and waits until everybody was notified, as long as that may take. */
export async function settle({ url, where, apps, ledger, onError }: Settling): Promise<LiveReport> {
  const { lastMessageAt } = ledger;
  await sleep(lastMessageAt + DRAINED_AFTER_MS - Date.now());
  await runSchedule(url, onError);
  const asked = [STORED_MESSAGES, "SELECT count(*) AS changes FROM outbox"];
  const [stored, rows] = await askDatabase(asked, where);
  const messages = ledger.acknowledged(stored as Omit<StoredMessage, "acknowledgedAt">[]);
  const outbox = Number((rows as { changes: number }[])[0]?.changes);
  for (;;) {
    const report = { ...apps.report(messages), outbox };
    if (report.missed.length === 0 || Date.now() > lastMessageAt + DELIVERED_WITHIN_MS) return report;
    await sleep(LOOK_AGAIN_MS);
  }
}
