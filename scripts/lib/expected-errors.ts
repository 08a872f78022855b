/** How the error of a test begins that the runtime prints because it leaves a Durable Object. */
export const ON_PURPOSE = "on purpose: ";

// `reset()` between two files breaks what is still under way at a database.
const EXPECTED = [ON_PURPOSE, "Application called deleteAllDurableObjects()."];
const BLOCK = /^uncaught exception; .*\n(?:(?: {4}at |stack: ).*\n)*/gm;

/** What the runtime prints, without the errors that tests expect. */
export function withoutExpectedErrors(text: string): string {
  return text.replaceAll(BLOCK, (block) => (EXPECTED.some((words) => firstLine(block).includes(words)) ? "" : block));
}

function firstLine(block: string): string {
  return block.slice(0, block.indexOf("\n"));
}
