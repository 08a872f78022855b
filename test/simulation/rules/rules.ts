import type { Answer, Call } from "../network.ts";
import type { World } from "../world.ts";
import { AnswerRules } from "./answers.ts";
import { BoardRules } from "./boards.ts";
import { checkDerived } from "./derived.ts";
import { HistoryRules } from "./history.ts";
import { JobRules } from "./jobs.ts";
import { Ledger } from "./ledger.ts";
import { checkMemory } from "./memory.ts";
import { MessageRules } from "./messages.ts";
import { StallRules } from "./stalls.ts";

/** How often everything is counted anew, in steps. */
const COUNT_EVERY_STEPS = 1_000;

/** What must always hold. */
export class Rules {
  readonly messages: MessageRules;
  readonly boards: BoardRules;
  readonly ledger: Ledger;
  readonly stalls: StallRules;
  readonly #jobs: JobRules;
  /** Null: no event leaves. */
  readonly history: HistoryRules | null;
  readonly #world: World;
  readonly #answers: AnswerRules;
  #countedAt = 0;

  constructor(world: World) {
    this.#world = world;
    this.messages = new MessageRules(world);
    this.boards = new BoardRules(world);
    this.history = world.history === null ? null : new HistoryRules(world, world.history);
    this.ledger = new Ledger(world, this.history);
    this.stalls = new StallRules(world);
    this.#jobs = new JobRules(world);
    this.#answers = new AnswerRules(world);
    world.database.onCommit = () => {
      this.messages.checkCommit();
      this.boards.noteCommit();
      this.#jobs.checkCommit();
    };
  }

  /** Looks at an answer of the service, whoever gets it. */
  checkAnswer(call: Call, answer: Answer): void {
    this.#answers.check(call, answer);
    this.stalls.check(call, answer);
    this.history?.checkAnswer(call, answer);
    if (call.path.startsWith("/api/v1/customer/messages")) this.messages.noteShown(answer);
    if (call.path.endsWith("/leaderboard")) this.boards.check(call, answer);
  }

  /** Is called again and again: what is expensive to look at is looked at now and then. */
  checkNowAndThen(): void {
    if (this.#world.steps - this.#countedAt < COUNT_EVERY_STEPS) return;
    this.#countedAt = this.#world.steps;
    this.checkAll();
  }

  checkAll(): void {
    this.history?.check();
    this.ledger.check();
    this.#jobs.check();
    checkDerived(this.#world);
    checkMemory(this.#world);
  }

  /** The database has been set back to this feed version. */
  forget(version: number): void {
    this.messages.forget();
    this.ledger.forget(version);
    this.#jobs.forget();
  }
}
