/** A request for this path makes the soak's Worker stall for `ms` milliseconds. */
export const STALL_PATH = "/__stall";
