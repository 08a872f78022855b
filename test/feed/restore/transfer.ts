import { env, exports } from "cloudflare:workers";
import { vi } from "vitest";
import { linkOf } from "../../../scripts/lib/call.ts";
import { Database } from "../../../src/db/database.ts";
import { showMessages } from "../../../src/inbox/message-clock.ts";
import { clock as workerClock } from "../../../src/values/clock.ts";
import { type Answer, feed, restore } from "../../support/api.ts";
import { differences } from "../../support/differences.ts";
import { freshDatabase } from "../../support/fresh-database.ts";
import { rows } from "../../support/state.ts";
import { customerToken, exportToken } from "../../support/tokens.ts";
import type { Ids, Line, Step, Transfer } from "./filled-in.ts";

/** All pages of an export, as they came. */
export async function exportAll(): Promise<string[]> {
  const headers = { Authorization: `Bearer ${await exportToken()}` };
  const pages: string[] = [];
  for (let url: string | undefined = "https://loyalty.example/api/v1/feed"; url !== undefined; ) {
    const response: Response = await exports.default.fetch(new Request(url, { headers }));
    if (response.status !== 200) throw new Error(`no export: ${await response.text()}`);
    pages.push(new TextDecoder().decode(await response.arrayBuffer()));
    url = linkOf(response);
  }
  return pages;
}

/** Restores the pages of an export, a request each; `afterEach` happens between them. */
export async function restoreAll(pages: readonly string[], afterEach = async () => {}): Promise<void> {
  for (const page of pages) {
    const { status, body } = await restore(page);
    if (status !== 200) throw new Error(`refused: ${JSON.stringify(body)}\n${page}`);
    await afterEach();
  }
}

let aged = 0;

/** Lets the cached boards age by a minute: one that is older than 30 seconds is read anew. */
function ageBoards(): void {
  aged += 60_000;
  vi.spyOn(workerClock, "now").mockImplementation(() => Date.now() + aged);
}

const timeOf = (second: number) =>
  new Date(Date.UTC(2026, 5, 1, 12, 0, second)).toISOString().slice(0, 19).replace("T", " ");

/** A clock that moves as the steps say. */
export class Clock {
  #second = 0;

  /** Another clock that goes on from here. */
  copy(): Clock {
    const copy = new Clock();
    copy.#second = this.#second;
    return copy;
  }

  async move(seconds: number): Promise<string> {
    this.#second += seconds;
    const now = timeOf(this.#second);
    await env.DB.prepare("UPDATE stopped_clock SET now = ?").bind(now).run();
    return now;
  }
}

/** An empty database whose clock is a row: another view for each second would have all statements compiled anew. */
export async function emptyDatabase(now: string): Promise<void> {
  await freshDatabase(now);
  await env.DB.batch([
    env.DB.prepare("CREATE TABLE stopped_clock AS SELECT ? AS now").bind(now),
    env.DB.prepare("DROP VIEW clock"),
    env.DB.prepare("CREATE VIEW clock AS SELECT now, date(now) AS today, 0 AS millisecond FROM stopped_clock"),
  ]);
}

/** Feeds the steps in turn, line by line where a bad one is among them, and says what each was answered. */
export async function feedSteps(steps: readonly Step[], clock: Clock): Promise<Answer["body"][]> {
  const answers: Answer["body"][] = [];
  for (const { seconds, lines } of steps) {
    await clock.move(seconds);
    const whole = await feed(lines);
    answers.push(whole.body);
    if (whole.status !== 200) for (const line of lines) answers.push((await feed([line])).body);
  }
  return answers;
}

const CUSTOMER = "/api/v1/customer";

/** What every endpoint answers every customer: the text of each answer, and its link, by the call. */
export async function answersOf(ids: Ids): Promise<Record<string, string>> {
  ageBoards();
  const calls = [...ids.customers.flatMap((id) => ownCalls(id, ids)), ...sharedCalls(ids)];
  const answers = await Promise.all(
    calls.map(async ({ as, path, body }) => {
      const headers = { Authorization: `Bearer ${await customerToken(as)}` };
      const init = body === undefined ? { headers } : { headers, method: "POST", body: JSON.stringify(body) };
      const response = await exports.default.fetch(new Request(`https://loyalty.example${CUSTOMER}/${path}`, init));
      const answer = [response.status, response.headers.get("Link"), await response.text()].join(" ");
      return [`${as}: ${path} ${init.body ?? ""}`, answer] as const;
    }),
  );
  return Object.fromEntries(answers);
}

interface Call {
  as: string;
  path: string;
  body?: object;
}

/** Calls whose answer is the customer's own. */
function ownCalls(as: string, { stores }: Ids): Call[] {
  const lists = ["messages", "messages?per_page=1", "coupons?includemfg=true&include_images=true", "my-coupons"];
  const teams = stores.map((id) => `stores/${id}/team-with-level`);
  const searches = ["Ada", "Zo X"].map((query) => ({ as, path: "full-search", body: { query } }));
  return [...[...lists, ...teams].map((path) => ({ as, path })), ...searches];
}

/** Calls that all customers are answered alike. */
function sharedCalls({ customers: [as = ""], accounts, stores, contests }: Ids): Call[] {
  const nearby = accounts.map((id) => ({ latitude: 1, longitude: 3, single_account_id: id }));
  const boards = stores.flatMap((location_id) =>
    [undefined, ...contests].map((eip_campaign_id) => ({ location_id, eip_campaign_id })),
  );
  return [
    ...nearby.map((body) => ({ as, path: "campaigns/near-by-popular-campaigns", body })),
    ...boards.map((body) => ({ as, path: "gamification/leaderboard", body })),
  ];
}

const BEGINNING = "2026-06-01 12:00:00";

/** How old events leave in a test. */
export interface Nights {
  /** Sets the Worker's clock. */
  goTo: (now: string) => void;
  seal: () => Promise<void>;
  /** Seals some of what is old, before the export. */
  sealInPart: () => Promise<void>;
}

const NIGHTS_APART_SECONDS = 70 * 24 * 3_600;

/**
 * Feeds a program, exports it, and feeds it further; then restores the export into an empty database and does the same
 * there. Resolves with what is seen of both databases, step by step. With `nights`, some of the old events leave before the
 * export, and all at the end; the job runs between the pages that are restored, too.
 */
export async function transfer(
  { ids, first, further }: Transfer,
  { look = async () => {}, nights }: { look?: () => Promise<void>; nights?: Nights } = {},
) {
  const sleep = async (clock: Clock, work: "seal" | "sealInPart") => {
    if (nights === undefined) return null;
    nights.goTo(await clock.move(NIGHTS_APART_SECONDS));
    // As the schedule does each minute. A Worker does it too, a second after the feed: before or after the clock was moved.
    await showMessages(new Database(env.DB, "first-primary"));
    await nights[work]();
    return seen(ids);
  };
  await emptyDatabase(BEGINNING);
  const clock = new Clock();
  await feedSteps(first, clock);
  await sleep(clock, "sealInPart");
  const [now, sameClock] = [await clock.move(0), clock.copy()];
  const before = await seen(ids);
  const after = await withoutLeftOut(further);
  const goOn = async (clock: Clock) => ({
    // The restore has ended, whether any line is taken or none.
    ended: (await feed([])).status,
    answers: await feedSteps(after, clock),
    after: await seen(ids),
    later: await sleep(clock, "seal"),
  });
  await look();
  const fed = { before, ...(await goOn(clock)) };

  nights?.goTo(now);
  await emptyDatabase(now);
  await restoreAll(before.pages, nights?.seal);
  const restored = { before: await seen(ids), ...(await goOn(sameClock)) };
  return { fed, restored };
}

/** The steps without messages whose ids are used by messages of removed groups, which an export leaves out. */
async function withoutLeftOut(steps: readonly Step[]): Promise<Step[]> {
  const hidden = await rows(
    "SELECT id FROM messages WHERE group_key IN (SELECT key FROM message_groups WHERE id IS NULL)",
  );
  const isHidden = ({ record, id }: Line) => record === "message" && hidden.some((one) => one.id === id);
  return steps.map(({ seconds, lines }) => ({ seconds, lines: lines.filter((line) => !isHidden(line)) }));
}

/** Everything that can be seen of a database: all answers, its export, and what is wrong with its derived data. */
export async function seen(ids: Ids) {
  return { answers: await answersOf(ids), pages: await exportAll(), differences: await differences() };
}
