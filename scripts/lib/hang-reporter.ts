import type { Reporter, TestModule } from "vitest/node";

/** The exit status EX_TEMPFAIL of sysexits.h, which says that another try may help. */
const TEMPORARY_FAILURE = 75;

/**
 * Ends a run if no test ends for some minutes, and names the files that hang. Vitest's own timeouts cover only hooks
 * and tests, and only while the runtime answers.
 */
export class HangReporter implements Reporter {
  readonly #milliseconds: number;
  readonly #running = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(minutes: number) {
    this.#milliseconds = minutes * 60_000;
  }

  onTestRunStart(): void {
    this.#restartTimer();
  }

  onTestModuleQueued({ relativeModuleId }: TestModule): void {
    this.#running.add(relativeModuleId);
    this.#restartTimer();
  }

  onTestCaseResult(): void {
    this.#restartTimer();
  }

  onTestModuleEnd({ relativeModuleId }: TestModule): void {
    this.#running.delete(relativeModuleId);
    this.#restartTimer();
  }

  onTestRunEnd(): void {
    clearTimeout(this.#timer);
  }

  #restartTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const files = this.#running.size > 0 ? [...this.#running].join(", ") : "the end of the run";
      console.error(`No test has ended for ${this.#milliseconds / 60_000} minutes. What hangs: ${files}`);
      process.exit(TEMPORARY_FAILURE);
    }, this.#milliseconds);
  }
}
