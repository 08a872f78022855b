import { formatDuration } from "./format.ts";

const PRINTED_EVERY_MS = 10_000;

/** A function that prints how far a command is, to standard error. It prints a text at most every ten seconds. */
export function progressPrinter(): (text: string) => void {
  let printedAt = Date.now();
  return (text) => {
    if (Date.now() - printedAt < PRINTED_EVERY_MS) return;
    printedAt = Date.now();
    console.error(text);
  };
}

/** Says what the work is, and every ten seconds how long it has taken. */
export async function withProgress<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const startedAt = Date.now();
  console.error(`${what} …`);
  const saying = setInterval(
    () => console.error(`${what} … ${formatDuration((Date.now() - startedAt) / 1_000)}`),
    PRINTED_EVERY_MS,
  );
  try {
    return await work();
  } finally {
    clearInterval(saying);
  }
}
