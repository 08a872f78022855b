import "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** How many requests are fuzzed, and from which seed. */
    fuzz: { runs: number; seed: number };
    /** How many programs are exported and restored, and from which seed. */
    restored: { programs: number; seed: number };
  }
}
