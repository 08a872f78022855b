import type { Patch } from "../platform/code.ts";

/** A change that breaks a rule of the service on purpose. */
export interface Mutant extends Patch {
  /** The rule that the change breaks. */
  breaks: string;
  /** The rules of the simulation that may find it: any of them may come first. */
  foundBy: readonly string[];
}
