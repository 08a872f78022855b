/** The path at which the soak's Worker takes how many milliseconds to stall. */
export const STALL_PATH = "/__stall";
