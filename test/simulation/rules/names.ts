// The names of rules that test/simulation/mutants.ts uses. Other rules have their names where they are checked.

export const POLL = "a poll misses nothing";
export const MODEL = "an answer is the model's, of the copy that was read";
export const BOARD = "a board's age is what it says";
export const BOOKMARK = "a bookmark shows what was seen with it";
export const LOST = "nothing acknowledged is lost";
export const RECOUNT = "what is derived equals a recount";
export const COMES = "every group with news comes";
export const TWICE = "no group comes twice";
export const RECOVERY = "once faults end, all is well within 90 s";
export const RETRY = "a lost connection of a read is tried again";
export const PLACED = "every event is in the database, or in one segment that it names";
export const REFUSED = "an event of before the horizon is refused, and nothing else";
export const ALONE = "two runs never do the same job at once";
export const FRAME = "a frame comes when its message is shown";
export const NO_500 = "no answer is 500";
export const TOO_MUCH = "what is too much for D1 is not repeated";
export const TOLD = "a feed that is too much for D1 is told so";
export const DAILY = "a daily limit ends at 00:00 UTC";
export const ENTRIES = "entries add up to balances";
