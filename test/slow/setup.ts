import { afterAll, afterEach } from "vitest";
import { removeFolders } from "./clone.ts";
import { stopAll, takeOutputs } from "./command.ts";

// The output of a failed test's commands says more than the test's own message.
afterEach(({ task }) => {
  const outputs = takeOutputs();
  if (task.result?.state === "fail") for (const output of outputs) console.error(output);
});

// The hooks of the test file run before this hook.
afterAll(async () => {
  await stopAll();
  removeFolders();
});
