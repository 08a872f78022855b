import { spawnSync } from "node:child_process";
import { ROOT } from "./project.ts";

/** Cloudflare takes a tag of at most 25 characters. */
const COMMIT_LENGTH = 12;

/**
 * The commit of this clone, with a plus sign if files have changed since; empty if the folder is not the root of a clone,
 * or git is missing.
 */
export function commitOfClone(): string {
  const [prefix, commit] = git("rev-parse", "--show-prefix", "HEAD").split("\n");
  if (prefix !== "" || commit === undefined) return "";
  const isChanged = git("status", "--porcelain", "--untracked-files=no") !== "";
  return commit.slice(0, COMMIT_LENGTH) + (isChanged ? "+" : "");
}

function git(...args: string[]): string {
  const { status, stdout } = spawnSync("git", args, { cwd: ROOT, encoding: "utf8" });
  return status === 0 ? stdout.trimEnd() : "";
}
