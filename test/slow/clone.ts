import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ROOT } from "./command.ts";

const folders: string[] = [];

/** Makes a folder that is removed after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "loyalty-edge-slow-"));
  folders.push(folder);
  return folder;
}

export function removeFolders(): void {
  for (const folder of folders.splice(0)) removeFolder(folder);
}

/** Removes a folder. Tries again, because a service that has just been stopped may still write a file. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/**
 * Copies the project into a temporary folder, as it is after a clone and an install: the files that git knows or would
 * add, and hard links to the packages. No command has run there.
 */
export function cloneCheckout(): string {
  const clone = temporaryFolder();
  const fileList = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: ROOT });
  const files = fileList.toString().split("\0").slice(0, -1);
  for (const file of files.filter((name) => existsSync(path.join(ROOT, name)))) {
    mkdirSync(path.dirname(path.join(clone, file)), { recursive: true });
    copyFileSync(path.join(ROOT, file), path.join(clone, file));
  }
  // Links no other hidden folder, because tools store the results of their last run in them, such as .vite.
  const script = 'mkdir "$1"; cp -al [!.]* .bin .package-lock.json "$1"';
  execFileSync("sh", ["-ec", script, "-", path.join(clone, "node_modules")], { cwd: path.join(ROOT, "node_modules") });
  // Commands install packages if the lock file is newer than the last install.
  utimesSync(path.join(clone, "package-lock.json"), 0, 0);
  return clone;
}

/** An environments.toml in which production keeps events for a month. */
export function withRetention(programs: string): string {
  return programs.replace("[production]", '[production]\nvars = { RETENTION_MONTHS = "1" }');
}
