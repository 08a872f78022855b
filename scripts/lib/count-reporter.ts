import type { Reporter, TestModule } from "vitest/node";

/** Tells `npm test`, which started this process, how many files of tests are done. */
class ProgressReporter implements Reporter {
  #done = 0;
  #total = 0;

  onTestRunStart(files: readonly unknown[]): void {
    this.#total = files.length;
  }

  onTestModuleEnd(): void {
    this.#done += 1;
    process.send?.(`${this.#done} of ${this.#total} files`);
  }
}

/** Prints one plain line with the numbers of tests at the end of a run, for a CI to read. */
class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tests = modules.flatMap(({ children }) => [...children.allTests()]);
    const countOf = (state: string) => tests.filter((test) => test.result().state === state).length;
    // A file that cannot be loaded, or a hook that throws, belongs to no test but fails the run.
    const parents = modules.flatMap((module) => [module, ...module.children.allSuites()]);
    const otherErrors = [...unhandledErrors, ...parents.flatMap((parent) => parent.errors())].length;
    const [skipped, notRun] = [countOf("skipped"), countOf("pending")];
    const counts = [`${countOf("passed")} passed`, `${countOf("failed") + otherErrors} failed`];
    if (skipped > 0) counts.push(`${skipped} skipped`);
    if (notRun > 0) counts.push(`${notRun} not run`);
    console.log(counts.join(", "));
  }
}

/** Vitest's reporter of all tests, or in `npm test` that of the failed ones; and the reporters above. */
export const REPORTERS = [
  process.env.TESTS_SHOWN === "failed" ? "minimal" : "default",
  ...(process.env.GITHUB_ACTIONS === "true" ? ["github-actions"] : []),
  new ProgressReporter(),
  new CountReporter(),
];
