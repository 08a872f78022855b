import { testAsInReactNative } from "../support/in-react-native.ts";

// Those that stop the clock: apart from those that call the Worker, whose own timers must not stand still.
testAsInReactNative(
  import.meta.glob("./{changes,new-messages-live,reconnection,retry,shared-connection}.test.ts", {
    query: "?react-native",
  }),
);
