import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const IN_MEMORY = "/dev/shm";

const folders = new Set<string>();
// Also when Ctrl-C ends the process in the middle of a run.
process.on("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder for databases, in memory where the system has such. It goes with the process at the latest. */
export function createFolder(): string {
  const folder = mkdtempSync(path.join(existsSync(IN_MEMORY) ? IN_MEMORY : tmpdir(), "simulation-"));
  folders.add(folder);
  return folder;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true });
  folders.delete(folder);
}
