import type { Difference } from "../../../scripts/verify-totals/recount.ts";
import type { Answer, Call, Moment } from "../calls.ts";
import type { SentRequest } from "../platform/invocation.ts";
import type { World } from "../world.ts";
import { checkFaults } from "./answers.ts";
import { MessageRules, type Poll } from "./messages.ts";
import { ModelRules } from "./model.ts";
import { JOURNAL, ONE_RUN, RECOUNT } from "./names.ts";
import { OwnStateRules } from "./own-state.ts";
import { type ArrivedFeed, RetentionRules } from "./retention.ts";
import { TillRules } from "./tills.ts";

// Recounts are slow, so they run once in this many steps.
const RECOUNT_EVERY_STEPS = 1_000;

/** Checks every rule of the simulation. */
export class Rules {
  readonly model: ModelRules;
  readonly messages: MessageRules;
  readonly retention: RetentionRules;
  readonly tills: TillRules;
  readonly ownState: OwnStateRules;
  readonly #world: World;
  #recountedAt = 0;
  /** The lease of each job after the last commit. */
  readonly #leases = new Map<string, string>();

  constructor(world: World) {
    this.#world = world;
    this.retention = new RetentionRules(world);
    this.model = new ModelRules(world, this.retention);
    this.messages = new MessageRules(world, this.model);
    this.tills = new TillRules(world);
    this.ownState = new OwnStateRules(world, this.model);
    world.database.onCommit = () => {
      this.ownState.noteCommit();
      this.model.noteCommit();
      this.messages.noteCommit();
      this.retention.noteCommit();
      this.tills.noteCommit();
      this.#checkLeases();
    };
  }

  checkAnswer(
    call: Call,
    answer: Answer,
    {
      poll,
      feed,
      committed,
      sentAt,
    }: { poll: Poll | null; feed: ArrivedFeed | null; committed: SentRequest["committed"]; sentAt: number },
  ): void {
    checkFaults(this.#world, call, answer);
    // The answer may show what the database was before.
    if (this.#world.setBackAt >= sentAt) return;
    this.model.check(call, answer, committed);
    this.ownState.check(call, answer, committed);
    const hasReadDatabase = answer.reads.length > 0;
    if (poll !== null && !hasReadDatabase) this.messages.check(call, poll, answer);
    if (feed !== null) this.retention.checkFeed(feed, answer);
  }

  checkNowAndThen(): void {
    if (this.#world.steps - this.#recountedAt < RECOUNT_EVERY_STEPS) return;
    this.#recountedAt = this.#world.steps;
    this.checkAll();
  }

  checkAll(): void {
    this.model.checkStored();
    this.#checkDerived();
    this.#checkJournal();
  }

  #checkJournal(): void {
    const events = ["balance_entries", "token_earnings", "plays", "messages"].map(
      (table) => `SELECT id, request FROM ${table} WHERE id NOT GLOB 'sealed:*'`,
    );
    const [row] = this.#world.database.primary.read<{ version: number; rows: number; lost: number }>(
      `SELECT version, (SELECT count(*) FROM requests WHERE version BETWEEN 1 AND program_state.version) AS rows,
         (SELECT count(*) FROM (${events.join(" UNION ALL ")}) WHERE request NOT IN (SELECT version FROM requests) OR request IS NULL)
         AS lost
       FROM program_state`,
    );
    // A request that only deletes has no row if the database was full.
    const mayLack = this.#world.database.commitsWhileFull;
    if (row !== undefined && (row.rows + mayLack < row.version || row.lost > 0))
      this.#world.fail(JOURNAL, `version ${row.version}, ${row.rows} rows, ${row.lost} events without a request`);
  }

  /** Checks what `npm run edge -- verify-totals` checks. */
  #checkDerived(): void {
    const { DERIVED, findDifferences, ALL_KEYS, toText } = this.#world.outside.service;
    for (const derived of DERIVED) {
      const [difference] = this.#world.database.primary.read<Difference>(findDifferences(derived, ALL_KEYS));
      if (difference !== undefined) this.#world.fail(RECOUNT, `${derived.name}: ${toText(difference)}`);
    }
  }

  /** No other run may take a job before its lease ends. The actor `addUp` ends the leases of one job itself. */
  #checkLeases(): void {
    const rows = this.#world.database.primary.read<{ name: string; lease: string; now: string }>(
      "SELECT name, lease_until AS lease, now FROM jobs CROSS JOIN clock WHERE name <> 'add up old events'",
    );
    for (const { name, lease, now } of rows) {
      const lastLease = this.#leases.get(name) ?? "";
      if (lease !== "" && lease !== lastLease && lastLease > now)
        this.#world.fail(ONE_RUN, `${name} is taken at ${now}, and another run has it until ${lastLease}`);
      this.#leases.set(name, lease);
    }
  }

  /** Starts again after time travel to this moment. */
  forget(moment: Moment): void {
    this.model.forget(moment);
    this.retention.forget();
    this.tills.forget();
    this.ownState.forget(moment);
    this.#leases.clear();
  }
}
