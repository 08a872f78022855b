import { testAsInReactNative } from "../support/in-react-native.ts";

testAsInReactNative(import.meta.glob("./{client,lists,new-messages,results,time}.test.ts", { query: "?react-native" }));
