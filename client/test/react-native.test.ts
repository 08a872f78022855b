import { beforeEach, describe, vi } from "vitest";
import { runtime } from "./support/fake-socket.ts";

// Runs the tests of the app's client again, with React Native's AbortController and sockets. A till's backend runs in Node.

// React Native takes its AbortController from the package abort-controller: its signals have neither `reason` nor
// `throwIfAborted`, and there is no `AbortSignal.any` or `timeout`.

class AbortSignal extends EventTarget {
  aborted = false;
}

class AbortController {
  readonly signal = new AbortSignal();

  abort(): void {
    if (this.signal.aborted) return;
    this.signal.aborted = true;
    this.signal.dispatchEvent(new Event("abort"));
  }
}

// Repeated before each test, because each test ends by restoring all globals.
beforeEach(() => {
  vi.spyOn(runtime, "losesEarlyClose").mockReturnValue(true);
  vi.stubGlobal("AbortController", AbortController);
  vi.stubGlobal("AbortSignal", AbortSignal);
});

// Without the query, a file that Vitest has loaded already would register no tests.
const files = import.meta.glob(
  ["./*.test.ts", "!./react-native.test.ts", "!./till*.test.ts", "!./*.property.test.ts"],
  {
    query: "?react-native",
  },
);
for (const [file, load] of Object.entries(files)) describe(file, async () => void (await load()));
