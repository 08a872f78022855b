import { setTimeout as sleep } from "node:timers/promises";
import { KINDS, type Row } from "../../test/model/kinds.ts";
import { Model } from "../../test/model/model.ts";
import type { Call as Question } from "../../test/model/parameters.ts";
import { toTime } from "../../test/model/time.ts";
import { RandomProgram } from "../../test/programs/random-program.ts";
import { FEW_FAULTS, LARGE } from "../../test/programs/shapes.ts";
import { customerToken, type Runtime } from "../bench/runtime.ts";
import { type Answer, call } from "../lib/call.ts";
import { sendLines } from "../lib/feed-client.ts";
import { Random } from "../program/random.ts";
import { runtimeMemory } from "./memory.ts";
import { excuses, type Stalls } from "./stalls.ts";

/** Numbers of answers or errors, by endpoint or by message. */
export type Counts = Record<string, number>;

const ANSWER_TIMEOUT_MS = 30_000;
const SAMPLE_EVERY_MS = 1_000;
const FEED_EVERY_MS = 1_000;
const SCHEDULE_EVERY_MS = 60_000;
const FED_TIME = "2026-06-01 12:00:00";

/** The fields of each kind that get D1's time if a line leaves them out. */
const TIME_FIELDS = new Map(
  KINDS.map(({ record, fields }) => [record, fields.filter(({ type }) => type === "now").map(({ name }) => name)]),
);

/** The last part of a call's path, which names the endpoint. */
export const endpointOf = (path: string): string => path.replace(/\?.*/, "").split("/").at(-1) ?? "";

/** A program that is fed and asked about, and a model of the contract that is fed the same lines. */
export class Load {
  readonly model = new Model();
  readonly program: RandomProgram;
  /** The number of answers of each endpoint. */
  readonly answers: Counts = {};
  /** How often each error occurred that a stall excuses. */
  readonly excused: Counts = {};
  /** How often each other error occurred. */
  readonly errors: Counts = {};
  readonly feed = { lines: 0, requests: 0 };
  /** The memory of the Workers runtime in MiB, once a second. */
  readonly samples: number[] = [];
  readonly #runtime: Runtime;
  readonly #stalls: Stalls;
  #startedAt = performance.now();

  constructor(runtime: Runtime, { seed, stalls }: { seed: number; stalls: Stalls }) {
    this.#runtime = runtime;
    this.#stalls = stalls;
    this.program = new RandomProgram(new Random(`soak ${seed}`), "messages", LARGE, FEW_FAULTS);
  }

  get seconds(): number {
    return (performance.now() - this.#startedAt) / 1_000;
  }

  /** Sends requests and feeds until the time is over. */
  async run(minutes: number, connections: number): Promise<void> {
    // The apps need a program to ask about.
    await this.#feedProgram();
    this.#startedAt = performance.now();
    const end = AbortSignal.timeout(minutes * 60_000);
    const repeat = async (everyMs: number, work: () => Promise<void>) => {
      while (!end.aborted) {
        await work();
        // The end cuts this wait off, which rejects its promise.
        await sleep(everyMs, null, { signal: end }).catch(() => {});
      }
    };
    await Promise.all([
      repeat(SAMPLE_EVERY_MS, () => this.#sampleMemory()),
      repeat(SCHEDULE_EVERY_MS, () => this.#runtime.runSchedule().catch(this.#onError("schedule", Date.now()))),
      repeat(FEED_EVERY_MS, () => this.#feedProgram().catch(this.#onError("feed"))),
      ...Array.from({ length: connections }, () => repeat(0, () => this.#ask())),
    ]);
  }

  /**
   * Feeds the whole program, with new ids of its events. Two clients send the same lines at once, and each event must
   * count once.
   */
  async #feedProgram(): Promise<void> {
    const { program, model, feed } = this;
    const now = toTime(Date.now());
    program.renameEvents();
    const lines = program.beginning(now).map(withTimes);
    await Promise.all([this.#send(lines), this.#send(lines)]);
    const { status } = model.feed(lines, { now });
    if (status !== 200) throw new Error(`The model refuses what the service has taken: ${status}`);
    feed.requests += 2;
    feed.lines += 2 * lines.length;
  }

  async #send(lines: readonly Row[]): Promise<void> {
    const { url, feedToken: token } = this.#runtime;
    const startedAt = Date.now();
    const numberedLines = lines.map((line, index) => ({ number: index + 1, bytes: Buffer.from(JSON.stringify(line)) }));
    await sendLines({ url, token }, numberedLines, {
      onProgress: ({ waiting }) => {
        if (waiting) this.#onError("feed", startedAt)("a request was not taken and had to be sent again");
      },
    });
  }

  /** Sends a random request as a random customer. */
  async #ask(): Promise<void> {
    const startedAt = Date.now();
    const { caller, call: question } = this.program.call(toTime(startedAt));
    const endpoint = endpointOf(question.path);
    // Only boards are read from the primary, so a stall excuses only their errors.
    const onError = this.#onError(endpoint, endpoint === "leaderboard" ? startedAt : undefined);
    try {
      const answer = await askAs(caller, question, this.#runtime);
      this.answers[endpoint] = (this.answers[endpoint] ?? 0) + 1;
      if (![200, 404, 422].includes(answer.status)) onError(`${answer.status} ${answer.body?.errorCode}`);
    } catch (error) {
      onError(error);
    }
  }

  /** A function that counts an error. If it has the time at which the request began, a stall may excuse the error. */
  #onError(what: string, startedAt?: number): (error: unknown) => void {
    return (error) => {
      const text = `${what}: ${error instanceof Error ? error.message : error}`;
      const counts = startedAt !== undefined && excuses(this.#stalls, startedAt) ? this.excused : this.errors;
      counts[text] = (counts[text] ?? 0) + 1;
    };
  }

  async #sampleMemory(): Promise<void> {
    this.samples.push(await runtimeMemory(process.pid));
  }
}

/** Asks a question of a random program as a customer. */
export async function askAs(customer: string, { path, body }: Question, { url }: Runtime): Promise<Answer> {
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  return call(url + path, {
    ...json,
    token: await customerToken(customer),
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
}

/**
 * The line with a time for each field that D1's clock would fill, so that the model knows the time. Only messages leave
 * their time to D1.
 */
function withTimes(line: Row): Row {
  const fields = TIME_FIELDS.get(line.record) ?? [];
  const times = Object.fromEntries(
    fields.map((field) => [field, line.record === "message" ? null : (line[field] ?? FED_TIME)]),
  );
  return { ...line, ...times };
}

export function sumOf(counts: Readonly<Counts>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
