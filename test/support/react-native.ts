import { beforeEach, describe, vi } from "vitest";

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

const REACT_NATIVE = { AbortController, AbortSignal };

/**
 * Runs test files again, with React Native's AbortController. Import the files with a query, because without one a file
 * that Vitest has loaded already would register no tests.
 */
export function testAsInReactNative(files: Record<string, () => Promise<unknown>>): void {
  // Repeated before each test, because some tests restore all globals.
  beforeEach(() => {
    for (const [name, value] of Object.entries(REACT_NATIVE)) vi.stubGlobal(name, value);
  });
  for (const [file, load] of Object.entries(files)) describe(file, async () => void (await load()));
}
