import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import { Random } from "../../scripts/program/random.ts";
import { clock as workerClock } from "../../src/values/clock.ts";
import { pick, type Row } from "../model/kinds.ts";
import { Model } from "../model/model.ts";
import type { Call } from "../model/parameters.ts";
import { addSeconds } from "../model/time.ts";
import { type Answer, feed, send } from "../support/api.ts";
import { backgroundWorkHasEnded } from "../support/background.ts";
import { showStoredMessages } from "../support/clock.ts";
import { seenAs } from "../support/compare.ts";
import { differences } from "../support/differences.ts";
import { exportPages } from "../support/exporting.ts";
import { freshDatabase } from "../support/fresh-database.ts";
import { customerToken } from "../support/tokens.ts";
import { RandomProgram } from "./random-program.ts";
import { SHAPES } from "./shapes.ts";

const BEGINNING = "2026-06-01 12:00:00";

const { pause } = workerClock;
let clockAheadMs = 0;

/** Sends a random program to the service and to the model, and checks that both give the same answers. */
export class Trial {
  readonly random: Random;
  readonly program: RandomProgram;
  readonly model = new Model();
  now = BEGINNING;
  /** How often each endpoint answered with each status. */
  readonly counts: Record<string, number>;
  readonly #name: string;
  /** Ends the pauses of Workers, which wait until the second of their messages is over. */
  #endPauses = () => {};

  constructor(name: string, shape: string, counts: Record<string, number> = {}) {
    this.#name = name;
    this.counts = counts;
    this.random = new Random(name);
    this.program = new RandomProgram(this.random, shape, SHAPES[shape]);
  }

  /** Makes an empty database whose clock is a row. D1 compiles all statements again if a view changes. */
  async emptyDatabase(): Promise<void> {
    // Work for the inboxes of an earlier program may still be under way, and customers of all programs have the same ids. The
    // name of an inbox depends on the environment.
    Object.assign(env, { ENVIRONMENT: this.#name });
    await freshDatabase(this.now);
    await env.DB.batch([
      env.DB.prepare("CREATE TABLE stopped_clock AS SELECT ? AS now").bind(this.now),
      env.DB.prepare("DROP VIEW clock"),
      env.DB.prepare("CREATE VIEW clock AS SELECT now, 0 AS millisecond FROM stopped_clock"),
    ]);
  }

  async begin(): Promise<void> {
    this.#pauseUntilTimePasses();
    await this.emptyDatabase();
    await this.#feed({ lines: this.program.beginning(this.now), accounts: "*" });
    expect(this.counts["feed 200"], `${this.#name} cannot begin`).toBeGreaterThan(0);
  }

  /** Feeds changes, and checks that derived data equals a recount. */
  async change(): Promise<void> {
    await this.#feed(this.program.changes(this.now));
    expect(await differences(), this.#name).toEqual([]);
  }

  async #feed({ lines, accounts }: { lines: Row[]; accounts: readonly string[] | "*" }): Promise<void> {
    const expected = this.model.feed(lines, { now: this.now, accounts });
    const answer = await feed(lines, accounts);
    const what = `${this.#name}: ${lines.map((line) => JSON.stringify(line)).join("\n")}`;
    expect(seenAs(expected, answer), what).toEqual(expected);
    this.#count(`feed ${answer.status}`);
  }

  /** Moves D1's clock, shows the messages of the seconds that are over, and waits until inboxes have heard of them. */
  async pass(seconds: number): Promise<void> {
    this.now = addSeconds(this.now, seconds);
    await env.DB.prepare("UPDATE stopped_clock SET now = ?").bind(this.now).run();
    await showStoredMessages();
    this.#pauseUntilTimePasses();
    await backgroundWorkHasEnded();
  }

  /** Ends the pauses of a second and more. Later ones last until D1's clock moves. */
  #pauseUntilTimePasses(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    vi.spyOn(workerClock, "pause").mockImplementation((milliseconds) =>
      milliseconds < 1_000 ? pause(milliseconds) : promise,
    );
    this.#endPauses();
    this.#endPauses = resolve;
  }

  /** Makes random calls. */
  async ask(count: number): Promise<void> {
    for (let number = 0; number < count; number += 1) {
      const { caller, call } = this.program.call(this.now);
      const searchScope = this.random.pick(["all", "all", "friends", "none"] as const);
      Object.assign(env, { CUSTOMER_SEARCH: searchScope });
      const answered = await answerOf(caller, call);
      const expected = this.model.ask(caller, call, this.now, searchScope);
      const what = `${this.#name}, at ${this.now}, ${searchScope}: ${caller} asks ${JSON.stringify(call)}`;
      expect(seenAs(expected, answered), what).toEqual(expected);
      const outcome = expected.body?.status === false ? "none" : expected.status;
      this.#count(`${call.path.replace(/\?.*/, "").split("/").at(-1)} ${outcome}`);
      if (expected.body?.forgiven) this.#count("forgiven");
    }
    Object.assign(env, { CUSTOMER_SEARCH: "all" });
  }

  /** Compares an export with the model. Resolves with the text of each page. */
  async checkExport(): Promise<string[]> {
    const pages = await exportPages();
    const lines: Row[] = pages.flatMap(({ body }) => body).filter(({ record }) => record !== "program");
    expect(normalized(lines), this.#name).toEqual(normalized(this.model.lines()));
    return pages.map(({ body }) => body.map((line: Row) => JSON.stringify(line)).join("\n"));
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }
}

/** The service's answer. The Worker's clock moves by a minute for each call, so that no cached board is fresh. */
async function answerOf(caller: string, { method, path, body }: Call): Promise<Answer> {
  clockAheadMs += 60_000;
  vi.spyOn(workerClock, "now").mockImplementation(() => Date.now() + clockAheadMs);
  const headers = { Authorization: `Bearer ${await customerToken(caller)}` };
  return send(path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
}

/** Sorts the lines, the two customers of a friendship and the stores of a campaign: their order means nothing. */
function normalized(lines: readonly Row[]): Row[] {
  const sortedInside = lines.map((line): Row => {
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
  return sortedInside.sort((first, second) => (keyOf(first) < keyOf(second) ? -1 : 1));
}
