import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, it, vi } from "vitest";
import { Inboxes } from "../../src/inbox/inboxes.ts";
import { connection, evict, inboxOf, inInbox, notification, runAlarm } from "../support/live.ts";
import { propertyRuns } from "../support/property-runs.ts";
import * as seed from "../support/seed.ts";

const HOUR_MS = 3_600_000;
// The runtime compares alarms with the real clock, so none of them rings by itself.
const IN_A_YEAR = Date.now() + 365 * 24 * HOUR_MS;
// The `exp` of a token in milliseconds instead of seconds.
const EXP_IN_MILLISECONDS = IN_A_YEAR;
const KINDS = [["messages"], ["balance"], ["erased"], ["messages", "erased"]] as const;

type Perform = (id: string) => Promise<unknown>;

const alarmOf = async (id: string) => (await inInbox(id, ({ storage }) => storage.getAlarm())) ?? Infinity;

const subscribe = fc.constant<Perform>(async (id) =>
  (await inboxOf(id)).subscribe({ newestAt: "", bookmark: "", at: Date.now() }),
);
const notify = fc
  .constantFrom(...KINDS)
  .map<Perform>((topics) => async (id) => (await inboxOf(id)).notify(notification({ topics: [...topics] })));
const open = fc.constantFrom(60, 24 * 3_600, EXP_IN_MILLISECONDS).map<Perform>((seconds) => async (id) => {
  const tokenExpires = Date.now() / 1_000 + seconds;
  const { webSocket } = await new Inboxes(env).connect(connection(id, { tokenExpires }));
  webSocket?.accept();
});
const closeAll = fc.constant<Perform>((id) =>
  inInbox(id, (state) => state.getWebSockets().forEach((socket) => void socket.close())),
);
const evictIt = fc.constant<Perform>(async (id) => {
  // The runtime evicts only objects in memory.
  await alarmOf(id);
  await evict(id);
});
const pass = fc.constantFrom(300, 61_000, 2.5 * HOUR_MS).map<Perform>((milliseconds) => async (id) => {
  const until = Date.now() + milliseconds;
  for (let at = await alarmOf(id); at <= until; at = await alarmOf(id)) {
    vi.setSystemTime(at);
    await runAlarm(id);
    if ((await alarmOf(id)) <= at) throw new Error("The alarm rings for ever.");
  }
  vi.setSystemTime(until);
});

describe("the alarm of an inbox", () => {
  it("is none or in the future, whatever happens", { timeout: 180_000 }, async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    // Faults need a socket that stays open for hours after an erasure, so these events are frequent.
    const frequent = [notify, open, pass].map((arbitrary) => ({ arbitrary, weight: 3 }));
    const rare = [subscribe, closeAll, evictIt].map((arbitrary) => ({ arbitrary, weight: 1 }));
    const events = fc.array(fc.oneof(...frequent, ...rare), { minLength: 8, maxLength: 16 });
    const run = async (steps: readonly Perform[]) => {
      vi.setSystemTime(IN_A_YEAR);
      const id = seed.freshId("c");
      for (const perform of steps) {
        await perform(id);
        expect(await alarmOf(id)).toBeGreaterThan(Date.now());
      }
    };

    await fc.assert(fc.asyncProperty(events, run), propertyRuns(100));
  });
});
