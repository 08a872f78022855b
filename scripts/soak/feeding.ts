import { plays } from "../demo/boards.ts";
import { type DemoLine, stores } from "../demo/chains.ts";
import { coupons } from "../demo/coupons.ts";
import { customers, visits } from "../demo/customers.ts";
import { messageGroups } from "../demo/messages.ts";
import type { Random } from "../demo/random.ts";
import { sendLines } from "../lib/feed-client.ts";
import type { FileLine } from "../lib/ndjson-file.ts";
import type { Ledger } from "./ledger.ts";
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

/** A line, and how it is booked once it is acknowledged. */
interface SoakLine {
  line: DemoLine;
  book: (ledger: Ledger) => void;
}

const STORES = stores();
const COUPONS = coupons();
const CUSTOMERS = customers();
const VISITS = visits();
const GROUPS = messageGroups();
const PLAYS = plays();
const EVENTS = new Set(["balance_entry", "message", "play", "token_earning"]);

/** How many lines of a kind a file has. */
const LINES = { entry: 250, message: 60, play: 80, earning: 80, membership: 20, store: 20, coupon: 10 };
const SENT_TWICE = 0.05;
const SENT_AGAIN = 0.3;

/**
 * Feeds files of fresh lines, one after the other until told to stop: each is sent by two clients at once, some of its
 * lines stand there twice, and some files are sent a third time. Every event must be accepted by one of them once.
 */
export async function feedOn(feeder: Feeder): Promise<void> {
  for (let file = 1; !feeder.signal.aborted; file += 1) {
    await feedFile(feeder, freshLines(feeder.random, `soak-${file}`)).catch((error: unknown) =>
      feeder.onError(`feed: ${error instanceof Error ? error.message : error}`),
    );
  }
}

async function feedFile(feeder: Feeder, fresh: readonly SoakLine[]): Promise<void> {
  const { random, report, ledger } = feeder;
  const twice = fresh.filter(({ line }) => EVENTS.has(line.record) && random.next() < SENT_TWICE);
  const lines = [...fresh, ...twice].map(({ line }, index) => ({
    number: index + 1,
    bytes: Buffer.from(JSON.stringify(line)),
  }));

  const sent = await Promise.all([send(feeder, lines), send(feeder, lines)]);
  if (random.next() < SENT_AGAIN) sent.push(await send(feeder, lines));

  for (const { book } of fresh) book(ledger);
  report.requests += sent.length;
  report.lines += sent.length * lines.length;
  const events = fresh.filter(({ line }) => EVENTS.has(line.record)).length;
  const expected = events + sent.length * (fresh.length - events);
  const accepted = sent.reduce((sum, { committed, ignored }) => sum + committed - ignored, 0);
  if (accepted !== expected) feeder.onError(`feed: ${accepted} lines were accepted instead of ${expected}`);
}

function send({ url, token, onError }: Feeder, lines: readonly FileLine[]) {
  return sendLines({ url, token }, lines, {
    onProgress: ({ waiting }) => {
      if (waiting) onError("feed: a request was not taken and had to be sent again", Date.now());
    },
  });
}

function freshLines(random: Random, file: string): SoakLine[] {
  const makers: [number, (id: string) => SoakLine][] = [
    [LINES.entry, (id) => entry(random, `${file}-b${id}`)],
    [LINES.message, (id) => message(random, `${file}-m${id}`)],
    [LINES.play, (id) => play(random, `${file}-p${id}`)],
    [LINES.earning, (id) => earning(random, `${file}-t${id}`)],
    [LINES.membership, () => membership(random)],
    [LINES.store, (id) => storeUpdate(random, `${file}-${id}`)],
    [LINES.coupon, (id) => couponUpdate(random, `${file}-${id}`)],
  ];
  return makers.flatMap(([count, make]) => Array.from({ length: count }, (_, index) => make(String(index))));
}

function entry(random: Random, id: string): SoakLine {
  const { customerId, storeId, accountId } = random.pick(VISITS);
  const hundredths = random.integer(-500, 4_000);
  const campaign = random.next() < 0.5 ? `k${accountId}-double` : null;
  const keys = { customer_id: customerId, store_id: storeId, campaign_id: campaign };
  return {
    line: { record: "balance_entry", id, ...keys, amount: decimal(hundredths) },
    book(ledger) {
      ledger.add("amounts", customerId, hundredths);
      ledger.add("entries", customerId, 1);
    },
  };
}

function message(random: Random, id: string): SoakLine {
  const { id: group, member_ids } = random.pick(GROUPS);
  const sender = random.pick(member_ids as string[]);
  return {
    line: { record: "message", id, group_id: group, customer_id: sender, body: `Seen at ${id}` },
    book: (ledger) => ledger.addMessage(id, String(group)),
  };
}

function play(random: Random, id: string): SoakLine {
  const { eip_campaign_id, location_id, employee_id } = random.pick(PLAYS);
  const [hundredths, hits] = [random.integer(0, 999), random.integer(0, 3)];
  const player = `${location_id} ${employee_id}`;
  return {
    line: { record: "play", id, eip_campaign_id, location_id, employee_id, runs: decimal(hundredths), hits },
    book(ledger) {
      ledger.add("runs", player, hundredths);
      ledger.add("hits", player, hits);
    },
  };
}

function earning(random: Random, id: string): SoakLine {
  const { customerId, storeId } = random.pick(VISITS);
  const [level, hundredths] = [random.integer(1, 5), random.integer(1, 999)];
  const keys = { store_id: storeId, customer_id: customerId, level_no: level };
  return {
    line: { record: "token_earning", id, ...keys, tokens: decimal(hundredths) },
    book: (ledger) => ledger.add("tokens", `${storeId} ${customerId} ${level}`, hundredths),
  };
}

function membership(random: Random): SoakLine {
  const [store, customer] = [random.pick(STORES).id, random.pick(CUSTOMERS).id];
  const line = { record: "membership", store_id: store, customer_id: customer, joined_at: "2026-10-01 00:00:00" };
  return { line, book: (ledger) => ledger.set("members", `${store} ${customer}`, 1) };
}

function storeUpdate(random: Random, phone: string): SoakLine {
  const store = random.pick(STORES);
  return { line: { ...store, phone }, book: (ledger) => ledger.set("phones", store.id, phone) };
}

function couponUpdate(random: Random, name: string): SoakLine {
  const coupon = random.pick(COUPONS);
  const value = decimal(random.integer(100, 999));
  return { line: { ...coupon, name, value }, book: (ledger) => ledger.set("values", String(coupon.id), value) };
}

function decimal(hundredths: number): string {
  return (hundredths / 100).toFixed(2);
}
