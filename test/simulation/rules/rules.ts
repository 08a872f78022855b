import type { Difference } from "../../../src/db/derived/recount.ts";
import type { Answer, Call } from "../network.ts";
import type { SentRequest } from "../platform/invocation.ts";
import type { World } from "../world.ts";
import { AnswerRules } from "./answers.ts";
import { HistoryRules } from "./history.ts";
import { JobRules } from "./jobs.ts";
import { MessageRules, type Poll } from "./messages.ts";
import { ModelRules, type Moment } from "./model.ts";
import { RECOUNT } from "./names.ts";

// Recounts are slow, so they run once in this many steps.
const RECOUNT_EVERY_STEPS = 1_000;
// The largest cache of the service has 64 entries.
const CACHE_ENTRIES_AT_MOST = 80;

/** Checks every rule of the simulation. */
export class Rules {
  readonly model: ModelRules;
  readonly messages: MessageRules;
  readonly answers: AnswerRules;
  readonly history: HistoryRules | null;
  readonly #jobs: JobRules;
  readonly #world: World;
  #recountedAt = 0;

  constructor(world: World) {
    this.#world = world;
    this.history = world.history === null ? null : new HistoryRules(world, world.history);
    this.model = new ModelRules(world, this.history);
    this.messages = new MessageRules(world, this.model);
    this.answers = new AnswerRules(world);
    this.#jobs = new JobRules(world);
    world.database.onCommit = () => {
      this.model.noteCommit();
      this.messages.noteCommit();
      this.#jobs.checkCommit();
    };
  }

  checkAnswer(
    call: Call,
    answer: Answer,
    { poll, committed }: { poll: Poll | null; committed: SentRequest["committed"] },
  ): void {
    this.answers.check(call, answer);
    this.history?.checkAnswer(call, answer);
    this.model.check(call, answer, committed);
    if (poll !== null && answer.seen.length === 0) this.messages.check(call, poll, answer);
  }

  checkNowAndThen(): void {
    if (this.#world.steps - this.#recountedAt < RECOUNT_EVERY_STEPS) return;
    this.#recountedAt = this.#world.steps;
    this.checkAll();
  }

  checkAll(): void {
    this.history?.check();
    this.model.checkStored();
    this.#jobs.check();
    this.#checkDerived();
    this.#checkMemory();
  }

  /** Checks what `npm run verify-totals` checks. */
  #checkDerived(): void {
    const { DERIVED, findDifferences, ALL_KEYS, toText } = this.#world.outside.service;
    for (const derived of DERIVED) {
      const [found] = this.#world.database.primary.read<Difference>(findDifferences(derived, ALL_KEYS));
      if (found !== undefined) this.#world.fail(RECOUNT, `${derived.name}: ${toText(found)}`);
    }
  }

  #checkMemory(): void {
    for (const { maps } of this.#world.isolates)
      for (const [map, loadedSize] of maps) {
        const grown = map.size - loadedSize;
        if (grown > CACHE_ENTRIES_AT_MOST)
          this.#world.fail("memory stays within bounds", `a map has grown by ${grown}: ${[...map.keys()].slice(0, 3)}`);
      }
  }

  /** An erasure changes a segment's row before its object, and empties messages without a feed. */
  set isErasing(isErasing: boolean) {
    this.model.isErasing = isErasing;
    if (this.history) this.history.isErasing = isErasing;
  }

  /** Starts again after time travel to this moment. */
  forget(moment: Moment): void {
    this.model.forget(moment);
    this.#jobs.forget();
  }
}
