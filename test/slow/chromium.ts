import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const USUAL_FILES = [
  "/usr/bin/chromium",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** How long a page, or the browser's start, may take on a busy machine. */
export const PATIENCE_MS = 90_000;

const files = process.env.CHROMIUM ? [process.env.CHROMIUM] : USUAL_FILES;

/** The browser of the slow tests: the file that `CHROMIUM` names, or an installed browser; null if there is none. */
export const CHROMIUM = files.find((file) => existsSync(file)) ?? null;

export function launchBrowser(): Promise<Browser> {
  if (CHROMIUM === null) throw new Error(`There is no browser at ${files.join(" or ")}.`);
  // A CI often runs as root, and Chromium's sandbox does not start for root.
  return chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"], timeout: PATIENCE_MS });
}

// `.ci/run` runs this file to learn whether there is a browser that starts.
if (import.meta.main) await (await launchBrowser()).close();
