/** How a command shows how far it is. */
export const BAR = { hideCursor: true, clearOnComplete: true, barsize: 24 };

/** The same where nobody may be watching: then in a line now and then. */
export const LOGGED_BAR = { ...BAR, noTTYOutput: true, notTTYSchedule: 5_000 };
