import { describe, it } from "vitest";
import { ON_PURPOSE, withoutExpectedErrors } from "../scripts/lib/expected-errors.ts";

const block = (message: string) =>
  `uncaught exception; source = Uncaught (in promise); stack = Error: ${message}\n    at Inbox.poll (inbox.ts:1:1)\n`;
const RESET =
  "uncaught exception; exception = workerd/jsg/value.h:1511: failed: jsg.Error: Application called deleteAllDurableObjects().\nstack: workerd@36c6fb0\n";

describe("what the runtime prints while tests run", () => {
  it("is shown without the errors that tests expect", ({ expect }) => {
    const text = `before\n${block(`${ON_PURPOSE}the inbox fails`)}${RESET}${block("Application called deleteAllDurableObjects().")}after\n`;

    expect(withoutExpectedErrors(text)).toBe("before\nafter\n");
  });

  it("keeps any other error, also one whose stack names an expected one", ({ expect }) => {
    const text = `${block("the inbox fails")}${block("another")}    at ${ON_PURPOSE}x\n${RESET.replace("called", "did not call")}`;

    expect(withoutExpectedErrors(text)).toBe(text);
  });
});
