import type { Reporter, TestModule } from "vitest/node";

/** Ends a run of vitest with one plain line that counts its tests, for a CI to read. */
export class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const states = modules.flatMap(({ children }) => [...children.allTests()].map((test) => test.result().state));
    const count = (wanted: string) => states.filter((state) => state === wanted).length;
    // A file that cannot be loaded and a hook that throws belong to no test, and fail the run all the same.
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

/** Vitest's own reporters, which it would take by itself, and the count. */
export const REPORTERS = [
  "default",
  ...(process.env.GITHUB_ACTIONS === "true" ? ["github-actions"] : []),
  new CountReporter(),
];
