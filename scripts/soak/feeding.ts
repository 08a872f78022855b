import { sendLines } from "../lib/feed-client.ts";
import type { Line } from "../program/line.ts";
import { demoByKind } from "../program/program.ts";
import type { Random } from "../program/random.ts";
import type { Judge } from "./judge.ts";
import type { OnError } from "./stalls.ts";

export interface FeedReport {
  /** The number of lines that were sent. A line that was sent twice counts twice. */
  lines: number;
  requests: number;
}

interface Feeder {
  url: string;
  token: string;
  judge: Judge;
  random: Random;
  signal: AbortSignal;
  report: FeedReport;
  onError: OnError;
}

const SHARE_OF_REPEATED_EVENTS = 0.05;
const SHARE_OF_REPEATED_FILES = 0.3;
const EVENTS_A_FILE = { balance_entry: 250, token_earning: 80, play: 80, message: 60 };
const STATES_A_FILE = 50;
const demo = demoByKind();

/**
 * Feeds files of new lines, one after the other, until the signal. Two clients send each file at once, and some files
 * are sent a third time. Some events are in a file twice. The service must store each event once.
 */
export async function feedOn(feeder: Feeder): Promise<void> {
  for (let file = 1; !feeder.signal.aborted; file += 1)
    await feedFile(feeder, file).catch((error: unknown) =>
      feeder.onError(`feed: ${error instanceof Error ? error.message : error}`),
    );
}

async function feedFile(feeder: Feeder, file: number): Promise<void> {
  const { random, judge } = feeder;
  const events = Object.entries(EVENTS_A_FILE).flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, index) => event(random, kind, `${file}-${index}`)),
  );
  const states = Array.from({ length: STATES_A_FILE }, (_, index) => state(random, index));
  const lines = [...events, ...states, ...events.filter(() => random.next() < SHARE_OF_REPEATED_EVENTS)];

  await Promise.all([send(feeder, lines), send(feeder, lines)]);
  if (random.next() < SHARE_OF_REPEATED_FILES) await send(feeder, lines);

  judge.note(lines);
}

async function send({ url, token, report, onError }: Feeder, lines: readonly Line[]): Promise<void> {
  const numbered = lines.map((line, index) => ({ number: index + 1, bytes: Buffer.from(JSON.stringify(line)) }));
  await sendLines({ url, token }, numbered, {
    onProgress: ({ waiting }) => {
      if (waiting) onError("feed: a request was not taken and had to be sent again", Date.now());
    },
  });
  report.requests += 1;
  report.lines += lines.length;
}

/**
 * A copy of a random event of the demo program, with another id. A message has no time, so the feed gives it the
 * present.
 */
function event(random: Random, kind: string, id: string): Line {
  return { ...random.pick(demo(kind)), id: `soak-${id}`, ...(kind === "message" && { sent_at: null }) };
}

/** A line that changes a store or a coupon, or lets a customer join a store. */
function state(random: Random, index: number): Line {
  if (index % 5 < 2) return { ...random.pick(demo("store")), phone: `+1 555 ${random.integer(1_000, 9_999)}` };
  if (index % 5 === 2) return { ...random.pick(demo("coupon")), name: `Offer ${random.integer(1, 999)}` };
  const [store_id, customer_id] = [random.pick(demo("store")).id, random.pick(demo("customer")).id];
  return { record: "membership", store_id, customer_id };
}
