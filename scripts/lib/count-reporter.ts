import type { Reporter, TestModule } from "vitest/node";

/** Prints one plain line with the numbers of tests at the end of a run, for a CI to read. */
class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const states = modules.flatMap(({ children }) => [...children.allTests()].map((test) => test.result().state));
    const countOf = (state: string) => states.filter((testState) => testState === state).length;
    // A file that cannot be loaded, or a hook that throws, belongs to no test but fails the run.
    const otherErrors = [
      ...unhandledErrors,
      ...modules.flatMap((module) =>
        [module, ...module.children.allSuites()].flatMap((moduleOrSuite) => moduleOrSuite.errors()),
      ),
    ].length;
    const unrunTests = [
      { number: countOf("skipped"), what: "skipped" },
      { number: countOf("pending"), what: "not run" },
    ].filter(({ number }) => number > 0);

    const counts = [
      { number: countOf("passed"), what: "passed" },
      { number: countOf("failed") + otherErrors, what: "failed" },
      ...unrunTests,
    ];
    console.log(counts.map(({ number, what }) => `${number} ${what}`).join(", "));
  }
}

/** Vitest's default reporters, and the reporter above. */
export const REPORTERS = [
  "default",
  ...(process.env.GITHUB_ACTIONS === "true" ? ["github-actions"] : []),
  new CountReporter(),
];
