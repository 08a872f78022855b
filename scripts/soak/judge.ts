import { KINDS, type Row } from "../../test/model/kinds.ts";
import { Model } from "../../test/model/model.ts";
import { toTime } from "../../test/model/time.ts";
import { differenceOf, seenAs } from "../../test/support/compare.ts";
import { call, linkOf } from "../lib/call.ts";
import { CommandError } from "../lib/command-error.ts";
import { devToken } from "../lib/tokens.ts";
import type { Line } from "../program/line.ts";
import { demoLines } from "../program/program.ts";
import { Random } from "../program/random.ts";
import { CUSTOMER_IDS, ENDPOINTS, tokenOf } from "./traffic.ts";

const CALLS = 200;
const LINES_A_REQUEST = 2_000;
const EVENTS = KINDS.filter(({ isEvent }) => isEvent).map(({ record }) => record);

/** Compares the service after the load with a model of the contract that was fed the same lines. */
export class Judge {
  readonly #files: (readonly Line[])[] = [];

  /** Notes the lines of a file that the feed has acknowledged. */
  note(lines: readonly Line[]): void {
    this.#files.push(lines);
  }

  /** A line for each difference between the service and the model. */
  async differences(url: string, seed: number): Promise<string[]> {
    const exported = await exportEvents(url);
    const model = this.#model(exported);
    const events = differencesOf(exported, model);
    const random = new Random(`judge ${seed}`);
    const answers: string[] = [];
    for (let number = 0; number < CALLS; number += 1) answers.push(...(await this.#ask(url, model, random)));
    return [...events, ...answers];
  }

  /** A model that was fed everything, with the times of the exported messages. */
  #model(exported: readonly Row[]): Model {
    const model = new Model();
    const demo = demoLines();
    const starts = Array.from(
      { length: Math.ceil(demo.length / LINES_A_REQUEST) },
      (_, index) => index * LINES_A_REQUEST,
    );
    for (const lines of [...starts.map((start) => demo.slice(start, start + LINES_A_REQUEST)), ...this.#files]) {
      const { status, fields } = model.feed(lines, { now: toTime(Date.now()) });
      if (status !== 200) throw new CommandError(`The model refuses what was fed: ${status} ${fields}`);
    }
    // New messages get their times from the database's clock, so the model takes these times from the export.
    const times = new Map(exported.map(({ record, id, sent_at }) => [`${record} ${id}`, sent_at]));
    const isNew = ({ id }: Row) => times.has(`message ${id}`);
    model.state.change("message", isNew, ({ id }) => ({ sent_at: times.get(`message ${id}`) }));
    return model;
  }

  /** Asks a random question. Boards are left out: a cached board may be 30 seconds old. */
  async #ask(url: string, model: Model, random: Random): Promise<string[]> {
    const { leaderboard: _, ...endpoints } = ENDPOINTS;
    const customer = random.pick(CUSTOMER_IDS);
    const { path: randomPath, body } = random.pick(Object.values(endpoints))(random, customer);
    // Leave check_time out: an inbox that missed a notification may answer "nothing new" for an hour.
    const path = randomPath.replace(/\?check_time=.*/, "");
    const json = body && { body: JSON.stringify(body) };
    const answer = await call(url + path, { ...json, token: await tokenOf(customer) });
    const question = { method: body ? "POST" : "GET", path, body } as const;
    const expected = model.ask(customer, question, toTime(Date.now()));
    const { status, body: answered, headers } = answer;
    const comparable = seenAs(expected, { status, body: answered, link: headers.get("Link") });
    const difference = differenceOf(comparable, expected);
    return difference === null ? [] : [`${customer} asks ${path} ${json?.body ?? ""}: ${difference.slice(0, 1_000)}`];
  }
}

async function exportEvents(url: string): Promise<Row[]> {
  const token = await devToken({ scope: "export", accounts: "*" });
  const lines: Row[] = [];
  for (let next: string | undefined = `${url}/api/v1/feed?record=${EVENTS.join()}`; next !== undefined; ) {
    const page = await call(next, { token });
    if (page.status !== 200) throw new CommandError(`The export was answered ${page.status}.`);
    lines.push(...page.body);
    next = linkOf(page);
  }
  return lines;
}

/**
 * A line for each exported event that differs from the model's or that the model lacks, and for each event that was
 * lost.
 */
function differencesOf(exported: readonly Row[], model: Model): string[] {
  const lines = model.lines().filter(({ record }) => EVENTS.includes(record));
  const expected = new Map(lines.map((line) => [`${line.record} ${line.id}`, line]));
  const wrong = exported.flatMap((line) => {
    const name = `${line.record} ${line.id}`;
    const difference = differenceOf(line, expected.get(name) ?? null);
    expected.delete(name);
    return difference === null ? [] : [`exported: ${difference}`];
  });
  return [...wrong, ...[...expected.keys()].map((name) => `lost: ${name}`)];
}
