import { nextPath } from "../network.ts";
import type { Change } from "../rules/own-state.ts";
import { LOCATIONS } from "../world.ts";
import { pause, type Stage } from "./stage.ts";

const REST_MS = 6_000;
const FIRST = "/api/v1/feed/changes?after=first";

/** A system of record that follows what tills and customers write (docs/contract/requests.md, 2). */
export class ChangesFollower {
  readonly #stage: Stage;
  #path = FIRST;
  #reading = Promise.resolve();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  async run(): Promise<void> {
    const random = this.#stage.world.random("follower of changes");
    while (!this.#stage.isEnding()) {
      await pause(this.#stage, random, REST_MS);
      await this.#readNext();
    }
  }

  /** Reads on until nothing is left. No answer may be lost any more. */
  async finish(): Promise<void> {
    for (let before = ""; before !== this.#path; ) {
      before = this.#path;
      await this.#readNext();
    }
  }

  /** One page at a time is read. */
  #readNext(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#read());
    return this.#reading;
  }

  async #read(): Promise<void> {
    const { network, rules } = this.#stage;
    const call = { location: LOCATIONS[0], scope: "export", path: this.#path };
    const expected = rules.tills.inNextChanges;
    const answer = await network.send(call).catch(() => null);
    if (answer?.status === 410) {
      this.#path = FIRST;
      rules.tills.beginChanges();
      rules.ownState.beginChanges();
    }
    if (answer?.status !== 200) return;
    for (const text of answer.body.split("\n").filter((line) => line !== "")) {
      const change: Change = JSON.parse(text);
      if (change.source === "till") rules.tills.noteChange(change.line as { id: string });
      else rules.ownState.noteChange(change);
    }
    const next = nextPath(answer) ?? this.#path;
    if (next === this.#path) rules.tills.checkChanges(expected);
    this.#path = next;
  }
}
