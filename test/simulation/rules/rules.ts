import type { Answer, Call } from "../network.ts";
import type { SentRequest } from "../platform/invocation.ts";
import type { World } from "../world.ts";
import { AnswerRules } from "./answers.ts";
import { checkDerived } from "./derived.ts";
import { HistoryRules } from "./history.ts";
import { JobRules } from "./jobs.ts";
import { checkMemory } from "./memory.ts";
import { MessageRules, type Poll } from "./messages.ts";
import { ModelRules, type Moment } from "./model.ts";
import { StallRules } from "./stalls.ts";

/** How often everything is counted anew, in steps. */
const COUNT_EVERY_STEPS = 1_000;

interface Circumstances {
  poll: Poll | null;
  committed: SentRequest["committed"];
}

/** What must always hold. */
export class Rules {
  readonly model: ModelRules;
  readonly messages: MessageRules;
  readonly stalls: StallRules;
  readonly #jobs: JobRules;
  /** Null: no event leaves. */
  readonly history: HistoryRules | null;
  readonly #world: World;
  readonly #answers: AnswerRules;
  #countedAt = 0;

  constructor(world: World) {
    this.#world = world;
    this.history = world.history === null ? null : new HistoryRules(world, world.history);
    this.model = new ModelRules(world, this.history);
    this.messages = new MessageRules(world, this.model);
    this.stalls = new StallRules(world);
    this.#jobs = new JobRules(world);
    this.#answers = new AnswerRules(world);
    world.database.onCommit = () => {
      this.model.noteCommit();
      this.messages.noteCommit();
      this.#jobs.checkCommit();
    };
  }

  /** Looks at an answer of the service, whoever gets it.  */
  checkAnswer(call: Call, answer: Answer, { poll, committed }: Circumstances): void {
    this.#answers.check(call, answer);
    this.stalls.check(call, answer);
    this.history?.checkAnswer(call, answer);
    this.model.check(call, answer, committed);
    if (poll !== null && answer.moments.length === 0) this.messages.check(call, poll, answer);
  }

  /** Is called again and again: what is expensive to look at is looked at now and then. */
  checkNowAndThen(): void {
    if (this.#world.steps - this.#countedAt < COUNT_EVERY_STEPS) return;
    this.#countedAt = this.#world.steps;
    this.checkAll();
  }

  checkAll(): void {
    this.history?.check();
    this.model.checkStored();
    this.#jobs.check();
    checkDerived(this.#world);
    checkMemory(this.#world);
  }

  /** Texts are being dropped: a segment's row changes before its object, and the model learns what is empty. */
  beginErasure(): void {
    this.model.isErasing = true;
    if (this.history) this.history.isErasing = true;
  }

  endErasure(): void {
    this.model.isErasing = false;
    if (this.history) this.history.isErasing = false;
  }

  /** The database is set back to this moment. */
  forget(moment: Moment): void {
    this.model.forget(moment);
    this.#jobs.forget();
  }
}
