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
