/** What can change for a customer while their app is open, in the order in which a frame lists it. */
export const CHANGE_KINDS = ["messages", "coupons", "balance"] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Changes that were not sent in a frame yet, each with the time from which its endpoint shows it. */
export type Pending = readonly { kind: ChangeKind; readyAt: number }[];

// Changes that come shortly after each other are sent in one frame.
const GATHER_MS = 250;
// Times are rounded up to these, so that no number of changes makes many entries.
const STEP_MS = 50;

/** Adds a change that can be shown from `readyAt` on, in milliseconds since 1970. */
export function addChange(pending: Pending, kind: ChangeKind, readyAt: number): Pending {
  const rounded = Math.ceil(readyAt / STEP_MS) * STEP_MS;
  const isPending = pending.some((one) => one.kind === kind && one.readyAt === rounded);
  return isPending ? pending : [...pending, { kind, readyAt: rounded }];
}

/** When the next frame is due; null: none is. */
export function nextFrameAt(pending: Pending): number | null {
  return pending.length === 0 ? null : Math.min(...pending.map(({ readyAt }) => readyAt)) + GATHER_MS;
}

/** The changes for a frame that is sent now, none if no frame is due, and those for later ones. */
export function takeFrame(pending: Pending, now: number): { kinds: ChangeKind[]; left: Pending } {
  const due = nextFrameAt(pending);
  if (due === null || due > now) return { kinds: [], left: pending };
  const isReady = (kind: ChangeKind) => pending.some((one) => one.kind === kind && one.readyAt <= now);
  return { kinds: CHANGE_KINDS.filter(isReady), left: pending.filter(({ readyAt }) => readyAt > now) };
}
