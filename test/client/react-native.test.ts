import { testAsInReactNative } from "../support/react-native.ts";

testAsInReactNative(import.meta.glob("./{calls,lists}.test.ts", { query: "?react-native" }));
