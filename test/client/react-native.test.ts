import { afterAll, beforeEach, describe, vi } from "vitest";
import { REACT_NATIVE } from "../support/react-native.ts";

// The client's tests once more, with no more of AbortController than React Native has.
const FILES = import.meta.glob(
  [
    "./*.test.ts",
    "!./*.property.test.ts",
    "!./react-native.test.ts",
    // It waits for real seconds, and others set the clock of the database.
    "!./service.test.ts",
  ],
  // Modules of their own: one that was loaded before, as another test file, would register no tests.
  { query: "?react-native" },
);

// Before each, because some of the tests restore all globals.
beforeEach(() => {
  for (const [name, value] of Object.entries(REACT_NATIVE)) vi.stubGlobal(name, value);
});
afterAll(() => vi.unstubAllGlobals());

for (const [file, load] of Object.entries(FILES)) describe(file, async () => void (await load()));
