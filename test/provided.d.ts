import "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /**
     * `runs` fuzzed requests, none if it is 0. A search over hostile words may take `limitMs`, or any time if it is 0.
     */
    fuzz: { runs: number; seed: number; limitMs: number };
    /** `effort` multiplies the runs of each property. */
    properties: { effort: number; seed: number };
  }
}
