import { createInterface } from "node:readline/promises";
import { CommandError } from "./project.ts";

/** @throws a CommandError if the command has to ask, and nobody is at a terminal. */
export function refuseNobody(yes: boolean | undefined): void {
  if (yes !== true && !process.stdin.isTTY) throw new CommandError("There is nobody to ask: give --yes.");
}

/** Asks at the terminal. Only y and yes confirm. */
export async function isConfirmed(question: string, signal: AbortSignal): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test(await terminal.question(`${question} [y/N] `, { signal }));
  } finally {
    terminal.close();
  }
}
