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

/**
 * What somebody who clones the project has after the install, and nothing that a command has made since: the files that
 * git knows or would take, and the packages, hard-linked.
 */
export function cloneCheckout(): string {
  const clone = mkdtempSync(path.join(tmpdir(), "loyalty-edge-clone-"));
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: ROOT });
  for (const file of listed
    .toString()
    .split("\0")
    .filter((name) => name !== "" && existsSync(path.join(ROOT, name)))) {
    mkdirSync(path.dirname(path.join(clone, file)), { recursive: true });
    copyFileSync(path.join(ROOT, file), path.join(clone, file));
  }
  linkFolder(path.join(ROOT, "node_modules"), path.join(clone, "node_modules"));
  // The install is as the lock file says, so no command need begin with one.
  utimesSync(path.join(clone, "package-lock.json"), 0, 0);
  return clone;
}

/** Tries again, because a service that has just been stopped may still write a file. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

function linkFolder(from: string, to: string): void {
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    // In folders such as .vite, tools store the results of their last run.
    if (
      name.startsWith(".") &&
      ![".bin", ".package-lock.json"].includes(name) &&
      path.basename(from) === "node_modules"
    )
      continue;
    const source = path.join(from, name);
    const target = path.join(to, name);
    const stats = lstatSync(source);
    if (stats.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (stats.isDirectory()) linkFolder(source, target);
    else linkSync(source, target);
  }
}
