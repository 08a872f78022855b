import "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** How many requests are fuzzed, and from which seed. */
    fuzz: { runs: number; seed: number };
  }
}
