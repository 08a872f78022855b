import "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /**
     * The number of fuzzed requests, their seed, and how long a request over hostile words may take; 0: not fuzzed, any
     * time.
     */
    fuzz: { runs: number; seed: number; limitMs: number };
    /** `effort` multiplies the runs of each property. */
    properties: { effort: number; seed: number };
  }
}
