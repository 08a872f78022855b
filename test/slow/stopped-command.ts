import { once } from "node:events";

// A command for scripts/lib/main.ts. A program that the command has started ends at Ctrl-C, so the command fails.

async function parseAsync(): Promise<never> {
  // The listener is the command's own, so scripts/lib/main.ts leaves the end to the command.
  const pressed = once(process, "SIGINT");
  const awake = setInterval(() => {}, 1_000);
  console.error("Ready.");
  await pressed;
  clearInterval(awake);
  console.error("Stopped.");
  throw new Error("write ECONNRESET");
}

export const program = { parseAsync };
