/** Where the soak's Worker is told how many milliseconds to stall. */
export const STALL_PATH = "/__stall";
