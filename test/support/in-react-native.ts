import { afterAll, beforeEach, describe, vi } from "vitest";
import { REACT_NATIVE } from "./react-native.ts";

/**
 * Runs test files with no more of AbortController than React Native has. They are imported with a query: a module that
 * was loaded before, as another test file, would register no tests.
 */
export function testAsInReactNative(files: Record<string, () => Promise<unknown>>): void {
  // Before each, because some of the tests restore all globals.
  beforeEach(() => {
    for (const [name, value] of Object.entries(REACT_NATIVE)) vi.stubGlobal(name, value);
  });
  afterAll(() => vi.unstubAllGlobals());
  for (const [file, load] of Object.entries(files)) describe(file, async () => void (await load()));
}
