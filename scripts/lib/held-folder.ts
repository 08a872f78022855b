import { mkdirSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { CommandError } from "./project.ts";

/** What this process holds: a database that is collected as garbage lets go of its file. */
const held: DatabaseSync[] = [];

/**
 * Holds the folder of a service's data for as long as this process lives, however it ends: two services on one database
 * would each answer from what they remember.
 * @throws a CommandError that names the service which holds it.
 */
export function holdFolder(folder: string, port: number): void {
  mkdirSync(folder, { recursive: true });
  const holder = new DatabaseSync(path.join(folder, "holder.sqlite"));
  try {
    holder.exec(`PRAGMA user_version = ${port}; BEGIN IMMEDIATE`);
  } catch (error) {
    if (!(error instanceof Error && /locked/.test(error.message))) throw error;
    const first = holder.prepare("PRAGMA user_version").get();
    throw new CommandError(
      `The data in ${folder} is in use by the service at http://127.0.0.1:${first?.user_version}. Use that one, or another folder: --persist-to DIR`,
    );
  }
  held.push(holder);
}
