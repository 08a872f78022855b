import { formatDuration } from "./format.ts";

const SHOWN_EVERY_MS = 100;
const LOGGED_EVERY_MS = 10_000;
const CLEAR_LINE = "\r\u001b[K";

/** Prints progress to standard error. A terminal shows one line that changes; a log gets a line every ten seconds. */
export class ProgressLine {
  #saidAt = Date.now();

  say(text: string): void {
    if (Date.now() - this.#saidAt >= (process.stderr.isTTY ? SHOWN_EVERY_MS : LOGGED_EVERY_MS)) this.#write(text);
  }

  #write(text: string): void {
    const { isTTY, columns } = process.stderr;
    this.#saidAt = Date.now();
    process.stderr.write(isTTY ? CLEAR_LINE + text.slice(0, columns - 1) : `${text}\n`);
  }

  /** Prints that work begins, with its number of steps. The returned function counts one step, or several. */
  begin(what: string, steps: number): (count?: number) => void {
    this.#write(`${what} …`);
    const startedAt = Date.now();
    let doneSteps = 0;
    return (count = 1) => {
      doneSteps = Math.min(doneSteps + count, steps);
      const secondsLeft = ((Date.now() - startedAt) / 1_000) * (steps / Math.max(doneSteps, 1) - 1);
      this.say(`${what}: ${Math.floor((100 * doneSteps) / steps)} %, ${formatDuration(secondsLeft)} left`);
    };
  }

  /** Clears the line in a terminal. */
  end(): void {
    if (process.stderr.isTTY) process.stderr.write(CLEAR_LINE);
  }
}
