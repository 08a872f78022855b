import { afterAll, beforeEach, describe, vi } from "vitest";
import { REACT_NATIVE } from "./react-native.ts";

/**
 * Runs test files again, with React Native's AbortController. Import the files with a query, because without one a file
 * that Vitest has loaded already would register no tests.
 */
export function testAsInReactNative(files: Record<string, () => Promise<unknown>>): void {
  // Repeated before each test, because some tests restore all globals.
  beforeEach(() => {
    for (const [name, value] of Object.entries(REACT_NATIVE)) vi.stubGlobal(name, value);
  });
  afterAll(() => vi.unstubAllGlobals());
  for (const [file, load] of Object.entries(files)) describe(file, async () => void (await load()));
}
