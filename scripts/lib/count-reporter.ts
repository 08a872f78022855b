import type { Reporter, TestModule } from "vitest/node";

/** Prints one plain line with the numbers of tests at the end of a run, for a CI to read. */
export class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const states = modules.flatMap(({ children }) => [...children.allTests()].map((test) => test.result().state));
    const count = (wanted: string) => states.filter((state) => state === wanted).length;
    // A file that cannot be loaded, or a hook that throws, belongs to no test but fails the run.
    const outside = [
      ...unhandledErrors,
      ...modules.flatMap((module) => [module, ...module.children.allSuites()].flatMap((part) => part.errors())),
    ].length;
    const left = [
      { number: count("skipped"), what: "skipped" },
      { number: count("pending"), what: "not run" },
    ].filter(({ number }) => number > 0);

    const counts = [
      { number: count("passed"), what: "passed" },
      { number: count("failed") + outside, what: "failed" },
      ...left,
    ];
    console.log(counts.map(({ number, what }) => `${number} ${what}`).join(", "));
  }
}

/** Vitest's default reporters, and the count. */
export const REPORTERS = [
  "default",
  ...(process.env.GITHUB_ACTIONS === "true" ? ["github-actions"] : []),
  new CountReporter(),
];
