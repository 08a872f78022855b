import { testAsInReactNative } from "../support/react-native.ts";

// These tests stop the clock. react-native.test.ts runs those that call the Worker, whose timers need a running clock.
testAsInReactNative(import.meta.glob("./{changes,connection,new-messages,retry}.test.ts", { query: "?react-native" }));
