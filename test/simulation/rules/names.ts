// The names of rules that test/simulation/mutants/ uses. Other rules have their names where they are checked.

export const POLL = "a poll misses nothing";
export const MODEL = "an answer is the model's, of the copy that was read";
export const BOARD = "a board's age is what it says";
export const BOOKMARK = "an answer is at least as new as the bookmark of its request";
export const NO_LOSS = "nothing acknowledged is lost";
export const RECOUNT = "derived data equals a recount";
export const JOURNAL = "each version has its row in the journal, and each event its version";
export const ALL_GROUPS = "a client receives every group with a new message";
export const NO_REPEAT = "a client receives no group twice";
export const RECOVERY = "the service recovers within 90 s after the last fault";
export const RETRY = "a lost connection of a read is tried again";
export const HORIZON = "the horizon never moves back";
export const OLD_EVENTS = "events from before the horizon are refused, and no others";
export const ONE_RUN = "two runs never do the same job at once";
export const FRAME = "a client hears of a message when it is shown";
export const FRESH = "a read at a frame's bookmark shows what the frame announces";
export const REPLACED = "a new socket has a bookmark of the present database";
export const NO_500 = "no answer is 500";
export const NO_RETRY = "a batch that is too much for D1 is not repeated";
export const ANSWER_413 = "a feed that is too much for D1 gets 413";
export const DAILY_LIMIT = "a daily limit ends at 00:00 UTC";
export const ENTRIES = "entries add up to balances";
