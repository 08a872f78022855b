// `reset()` between two test files breaks what is still under way at a database.
const EXPECTED = "Application called deleteAllDurableObjects().";
const BLOCK = /^uncaught exception; .*\n(?:(?: {4}at |stack: ).*\n)*/gm;

/** The text that the runtime prints, without the errors that tests expect. */
export function withoutExpectedErrors(text: string): string {
  return text.replaceAll(BLOCK, (block) => (block.slice(0, block.indexOf("\n")).includes(EXPECTED) ? "" : block));
}
