import "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** How many requests are fuzzed, from which seed, and how long one may take over hostile words; 0: neither. */
    fuzz: { runs: number; seed: number; limitMs: number };
    /** How many times more runs than usual a property has, and from which seed. */
    properties: { effort: number; seed: number };
  }
}
