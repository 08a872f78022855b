/** What can change for a customer while their app is open, in the order in which a frame lists it. */
export const WHATS = ["messages", "coupons", "balance"] as const;
export type What = (typeof WHATS)[number];

/** Changes that no frame has told yet, each with the time from which its endpoint shows it. */
export type Pending = readonly { what: What; readyAt: number }[];

// Changes that come one shortly after the other are told in one frame.
const GATHER_MS = 250;
// Times are rounded up to these, so that no number of changes makes many entries.
const STEP_MS = 50;

/** Adds changes that can be shown from `readyAt` on, in milliseconds since 1970. */
export function addChanges(pending: Pending, whats: readonly What[], readyAt: number): Pending {
  const rounded = Math.ceil(readyAt / STEP_MS) * STEP_MS;
  const fresh = whats.filter((what) => !pending.some((one) => one.what === what && one.readyAt === rounded));
  return [...pending, ...fresh.map((what) => ({ what, readyAt: rounded }))];
}

/** When the next frame is due; null: none is. */
export function nextFrameAt(pending: Pending): number | null {
  return pending.length === 0 ? null : Math.min(...pending.map(({ readyAt }) => readyAt)) + GATHER_MS;
}

/** What the frame that is due now tells, and what is left for later ones. */
export function takeFrame(pending: Pending, now: number): { what: What[]; left: Pending } {
  const due = nextFrameAt(pending);
  if (due === null || due > now) return { what: [], left: pending };
  const told = new Set(pending.filter(({ readyAt }) => readyAt <= now).map(({ what }) => what));
  return { what: WHATS.filter((what) => told.has(what)), left: pending.filter(({ readyAt }) => readyAt > now) };
}
