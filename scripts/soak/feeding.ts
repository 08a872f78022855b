import { sendLines } from "../lib/feed-client.ts";
import type { FileLine } from "../lib/ndjson-file.ts";
import { demoByKind } from "../program/program.ts";
import type { Random } from "../program/random.ts";
import type { BookedLine, Ledger } from "./ledger.ts";
import type { OnError } from "./stalls.ts";

export interface FeedReport {
  /** Lines that were committed, each as often as it was sent. */
  lines: number;
  requests: number;
}

interface Feeder {
  url: string;
  token: string;
  ledger: Ledger;
  random: Random;
  signal: AbortSignal;
  report: FeedReport;
  onError: OnError;
}

const demo = demoByKind();
const SENT_TWICE = 0.05;
const SENT_AGAIN = 0.3;

/** How many lines of a kind a file has, and how one is made; `id` is new in each file. */
const MAKERS: readonly [count: number, make: (random: Random, id: string) => BookedLine][] = [
  [250, balanceEntry],
  [60, message],
  [80, play],
  [80, tokenEarning],
  [20, membership],
  [20, storeUpdate],
  [10, couponUpdate],
];

/**
 * Feeds files of fresh lines, one after the other until the signal: each is sent by two clients at once, some of its
 * lines stand there twice, and some files are sent a third time. Every event must be accepted by one of them once.
 */
export async function feedOn(feeder: Feeder): Promise<void> {
  for (let file = 1; !feeder.signal.aborted; file += 1) {
    const fresh = MAKERS.flatMap(([count, make], kind) =>
      Array.from({ length: count }, (_, index) => make(feeder.random, `soak-${file}-${kind}-${index}`)),
    );
    await feedFile(feeder, fresh).catch((error: unknown) =>
      feeder.onError(`feed: ${error instanceof Error ? error.message : error}`),
    );
  }
}

async function feedFile(feeder: Feeder, fresh: readonly BookedLine[]): Promise<void> {
  const { random, report, ledger } = feeder;
  const events = fresh.filter(({ amounts }) => amounts !== undefined);
  const twice = events.filter(() => random.next() < SENT_TWICE);
  const lines = [...fresh, ...twice].map(({ line }, index) => ({
    number: index + 1,
    bytes: Buffer.from(JSON.stringify(line)),
  }));

  const sent = await Promise.all([send(feeder, lines), send(feeder, lines)]);
  if (random.next() < SENT_AGAIN) sent.push(await send(feeder, lines));

  for (const one of fresh) ledger.add(one);
  report.requests += sent.length;
  report.lines += sent.length * lines.length;
  const expected = events.length + sent.length * (fresh.length - events.length);
  const accepted = sent.reduce((sum, { committed, ignored }) => sum + committed - ignored, 0);
  // One whose answer was lost may have been committed: then its events are ignored when it comes again.
  const wereThere = sent.some(({ wasSentAgain }) => wasSentAgain) && accepted === expected - events.length;
  if (accepted !== expected && !wereThere)
    feeder.onError(`feed: ${accepted} lines were accepted instead of ${expected}`);
}

async function send({ url, token, onError }: Feeder, lines: readonly FileLine[]) {
  let wasSentAgain = false;
  const sent = await sendLines({ url, token }, lines, {
    onProgress: ({ waiting }) => {
      if (!waiting) return;
      wasSentAgain = true;
      onError("feed: a request was not taken and had to be sent again", Date.now());
    },
  });
  return { ...sent, wasSentAgain };
}

function balanceEntry(random: Random, id: string): BookedLine {
  const { customer_id, store_id } = random.pick(demo("membership"));
  const hundredths = random.integer(-500, 4_000);
  const campaign = random.next() < 0.5 ? String(store_id).replace(/^s(\d+)-.*/, "k$1-double") : null;
  const keys = { customer_id, store_id, campaign_id: campaign };
  const line = { record: "balance_entry" as const, id, ...keys, amount: decimal(hundredths) };
  return { line, key: String(customer_id), amounts: [hundredths] };
}

function message(random: Random, id: string): BookedLine {
  const { id: group, member_ids } = random.pick(demo("message_group"));
  const sender = random.pick(member_ids as string[]);
  const line = { record: "message" as const, id, group_id: group, customer_id: sender, body: `Seen at ${id}` };
  return { line, key: String(group), amounts: [] };
}

function play(random: Random, id: string): BookedLine {
  const { eip_campaign_id, location_id, employee_id } = random.pick(demo("play"));
  const [runs, hits] = [random.integer(0, 999), random.integer(0, 3)];
  const keys = { eip_campaign_id, location_id, employee_id };
  const line = { record: "play" as const, id, ...keys, runs: decimal(runs), hits };
  return { line, key: `${location_id} ${employee_id}`, amounts: [runs, hits] };
}

function tokenEarning(random: Random, id: string): BookedLine {
  const { customer_id, store_id } = random.pick(demo("membership"));
  const [level, tokens] = [random.integer(1, 5), random.integer(1, 999)];
  const keys = { store_id, customer_id, level_no: level };
  const line = { record: "token_earning" as const, id, ...keys, tokens: decimal(tokens) };
  return { line, key: `${store_id} ${customer_id} ${level}`, amounts: [tokens] };
}

function membership(random: Random): BookedLine {
  const [store_id, customer_id] = [random.pick(demo("store")).id, random.pick(demo("customer")).id];
  const line = { record: "membership" as const, store_id, customer_id, joined_at: "2026-10-01 00:00:00" };
  return { line, key: `${store_id} ${customer_id}`, state: 1 };
}

function storeUpdate(random: Random, phone: string): BookedLine {
  const store = random.pick(demo("store"));
  return { line: { ...store, record: "store", phone }, key: String(store.id), state: phone };
}

function couponUpdate(random: Random, name: string): BookedLine {
  const coupon = random.pick(demo("coupon"));
  return { line: { ...coupon, record: "coupon", name }, key: String(coupon.id), state: name };
}

function decimal(hundredths: number): string {
  return (hundredths / 100).toFixed(2);
}
