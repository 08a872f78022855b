import { testAsInReactNative } from "../support/in-react-native.ts";

// Tests that stop the clock. Tests that call the Worker are in another file, because the Worker's timers must run.
testAsInReactNative(import.meta.glob("./{changes,connection,new-messages,retry}.test.ts", { query: "?react-native" }));
