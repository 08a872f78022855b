import * as RULES from "../rules/names.ts";
import type { Mutant } from "./mutant.ts";

export const CLIENT_MUTANTS: readonly Mutant[] = [
  {
    breaks: "a client receives no group twice",
    file: "client/src/poll.ts",
    find: "found.filter((group) => !isDealtWith(group, from)).reverse();",
    replace: "[...found].reverse();",
    foundBy: [RULES.NO_REPEAT],
  },
  {
    breaks: "a client also receives the other groups of the last group's second",
    file: "client/src/poll.ts",
    find: "secondBefore(from.last_message_time);",
    replace: "from.last_message_time;",
    foundBy: [RULES.FRAME, RULES.ALL_GROUPS],
  },
];
