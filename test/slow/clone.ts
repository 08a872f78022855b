import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ROOT } from "./command.ts";

const folders: string[] = [];

/** A new folder, which is removed after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "loyalty-edge-slow-"));
  folders.push(folder);
  return folder;
}

export function removeFolders(): void {
  for (const folder of folders.splice(0)) removeFolder(folder);
}

/** Tries again, because a service that has just been stopped may still write a file. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/**
 * A temporary folder with the project as it is after a clone and an install: the files that git knows or would add, and
 * the packages, hard-linked. No command has run in it.
 */
export function cloneCheckout(): string {
  const clone = temporaryFolder();
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: ROOT });
  const files = listed.toString().split("\0").slice(0, -1);
  for (const file of files.filter((name) => existsSync(path.join(ROOT, name)))) {
    mkdirSync(path.dirname(path.join(clone, file)), { recursive: true });
    copyFileSync(path.join(ROOT, file), path.join(clone, file));
  }
  linkFolder(path.join(ROOT, "node_modules"), path.join(clone, "node_modules"));
  // With an older lock file than its install, no command begins with an install.
  utimesSync(path.join(clone, "package-lock.json"), 0, 0);
  return clone;
}

function linkFolder(from: string, to: string): void {
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    // In other hidden folders, such as .vite, tools store the results of their last run.
    const isLeftOut = name.startsWith(".") && ![".bin", ".package-lock.json"].includes(name);
    if (isLeftOut && path.basename(from) === "node_modules") continue;
    const source = path.join(from, name);
    const target = path.join(to, name);
    const stats = lstatSync(source);
    if (stats.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (stats.isDirectory()) linkFolder(source, target);
    else linkSync(source, target);
  }
}
