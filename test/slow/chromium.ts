/** The browser of the slow tests. Debian: apt install chromium. */
export const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
