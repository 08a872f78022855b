import { afterEach } from "vitest";
import { takeOutputs } from "./command.ts";

// What the commands of a failed test have printed says more than what the test expected.
afterEach(({ task }) => {
  const outputs = takeOutputs();
  if (task.result?.state === "fail") for (const output of outputs) console.error(output);
});
