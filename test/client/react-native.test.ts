import { testAsInReactNative } from "../support/react-native.ts";

const files = import.meta.glob(["./*.test.ts", "!./react-native.test.ts", "!./*.property.test.ts"], {
  query: "?react-native",
});
testAsInReactNative(files);
