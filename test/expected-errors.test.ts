import { describe, it } from "vitest";
import { withoutExpectedErrors } from "../scripts/lib/expected-errors.ts";

const block = (message: string) =>
  `uncaught exception; source = Uncaught (in promise); stack = Error: ${message}\n    at Inbox.poll (inbox.ts:1:1)\n`;
const RESET =
  "uncaught exception; exception = workerd/jsg/value.h:1511: failed: jsg.Error: Application called deleteAllDurableObjects().\nstack: workerd@36c6fb0\n";

describe("the text that the runtime prints", () => {
  it("is shown without the errors of a reset, and with all others", ({ expect }) => {
    const expected = RESET + block("Application called deleteAllDurableObjects().");
    const other = `${block("the inbox fails")}    at deleteAllDurableObjects\n${RESET.replace("called", "did not call")}`;

    expect(withoutExpectedErrors(`before\n${expected}after\n${other}`)).toBe(`before\nafter\n${other}`);
  });
});
