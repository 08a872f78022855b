import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import { Random } from "../../scripts/program/random.ts";
import { clock as workerClock } from "../../src/values/clock.ts";
import { feed, send } from "../support/api.ts";
import { showStoredMessages } from "../support/clock.ts";
import { differences } from "../support/differences.ts";
import { exportPages } from "../support/exporting.ts";
import { freshDatabase } from "../support/fresh-database.ts";
import { customerToken } from "../support/tokens.ts";
import { type Answered, seenAs } from "./compare.ts";
import type { FeedAnswer } from "./feed.ts";
import { pick, type Row } from "./kinds.ts";
import { Model } from "./model.ts";
import type { Call } from "./parameters.ts";
import { RandomProgram } from "./random-program.ts";
import { SHAPES } from "./shapes.ts";
import { addSeconds } from "./time.ts";

const BEGINNING = "2026-06-01 12:00:00";

let aged = 0;

/** A random program, in the service and in the model: both must give the same answer to each feed and call. */
export class Trial {
  readonly random: Random;
  readonly program: RandomProgram;
  readonly model = new Model();
  now = BEGINNING;
  /** How often each endpoint gave each status. */
  readonly seen: Record<string, number>;
  readonly #name: string;

  constructor(name: string, shape: string, seen: Record<string, number> = {}) {
    this.#name = name;
    this.seen = seen;
    this.random = new Random(name);
    this.program = new RandomProgram(this.random, shape, SHAPES[shape]);
  }

  /** An empty database whose clock is a row. A new view for each second would make D1 compile all statements again. */
  async emptyDatabase(): Promise<void> {
    await freshDatabase(this.now);
    await env.DB.batch([
      env.DB.prepare("CREATE TABLE stopped_clock AS SELECT ? AS now").bind(this.now),
      env.DB.prepare("DROP VIEW clock"),
      env.DB.prepare("CREATE VIEW clock AS SELECT now, date(now) AS today, 0 AS millisecond FROM stopped_clock"),
    ]);
  }

  async begin(): Promise<void> {
    await this.emptyDatabase();
    await this.#feed({ lines: this.program.beginning(this.now), accounts: "*" });
    expect(this.seen["feed 200"], `${this.#name} cannot begin`).toBeGreaterThan(0);
  }

  /** Feeds changes. Derived data must then equal a recount. */
  async change(): Promise<void> {
    await this.#feed(this.program.changes(this.now));
    expect(await differences(), this.#name).toEqual([]);
  }

  async #feed({ lines, accounts }: { lines: Row[]; accounts: readonly string[] | "*" }): Promise<void> {
    const expected = this.model.feed(lines, { now: this.now, accounts });
    const { status, body } = await feed(lines, accounts);
    const answer: FeedAnswer = { status: status as FeedAnswer["status"], ...body.items };
    if (status === 422) answer.fields = Object.keys(body.messages).sort();
    expect(answer, `${this.#name}: ${lines.map((line) => JSON.stringify(line)).join("\n")}`).toEqual(expected);
    this.#count(`feed ${status}`);
  }

  /** Moves D1's clock, and shows the messages whose second is over. */
  async pass(seconds: number): Promise<void> {
    this.now = addSeconds(this.now, seconds);
    await env.DB.prepare("UPDATE stopped_clock SET now = ?").bind(this.now).run();
    await showStoredMessages();
  }

  /** Makes random calls. */
  async ask(count: number): Promise<void> {
    for (let number = 0; number < count; number += 1) {
      const { caller, call } = this.program.call(this.now);
      const whom = this.random.pick(["all", "all", "friends", "none"] as const);
      Object.assign(env, { CUSTOMER_SEARCH: whom });
      const answered = await answerOf(caller, call);
      const expected = this.model.ask(caller, call, this.now, { radiusMiles: 25, whom });
      const what = `${this.#name}, at ${this.now}, ${whom}: ${caller} asks ${JSON.stringify(call)}`;
      expect(seenAs(expected, answered), what).toEqual(expected);
      const sort = expected.body?.status === false ? "none" : expected.status;
      this.#count(`${call.path.replace(/\?.*/, "").split("/").at(-1)} ${sort}`);
      if (expected.body?.forgiven) this.#count("forgiven");
    }
    Object.assign(env, { CUSTOMER_SEARCH: "all" });
  }

  /** Compares an export with the model. Resolves with the text of each page. */
  async checkExport(): Promise<string[]> {
    const pages = await exportPages();
    const lines: Row[] = pages.flatMap(({ body }) => body).filter(({ record }) => record !== "program");
    expect(inOneOrder(lines), this.#name).toEqual(inOneOrder(this.model.lines()));
    return pages.map(({ body }) => body.map((line: Row) => JSON.stringify(line)).join("\n"));
  }

  #count(what: string): void {
    this.seen[what] = (this.seen[what] ?? 0) + 1;
  }
}

/** The service's answer. Its clock moves by a minute for each call, so that no cached board is fresh. */
async function answerOf(caller: string, { method, path, body }: Call): Promise<Answered> {
  aged += 60_000;
  vi.spyOn(workerClock, "now").mockImplementation(() => Date.now() + aged);
  const headers = { Authorization: `Bearer ${await customerToken(caller)}` };
  const answer = await send(path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  return { status: answer.status, body: answer.body, link: answer.headers.get("Link") };
}

/** The lines in one order. A friendship's pair and a campaign's stores are sorted, because they have no order. */
function inOneOrder(lines: readonly Row[]): Row[] {
  const normal = lines.map((line): Row => {
    const { record, customer_id, friend_id, store_ids } = line;
    const pair = record === "friendship" ? [customer_id, friend_id].sort() : [customer_id, friend_id];
    return {
      ...line,
      customer_id: pair[0],
      friend_id: pair[1],
      store_ids: Array.isArray(store_ids) ? [...store_ids].sort() : store_ids,
    };
  });
  const keyOf = ({ record, id, deleted = false, ...row }: Row) =>
    JSON.stringify([
      record,
      deleted,
      id ?? pick(row, "store_id campaign_id customer_id friend_id blocked_id group_id"),
    ]);
  return normal.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}
