import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import path from "node:path";
import { InvalidArgumentError } from "commander";
import { CommandError, ROOT } from "../lib/project.ts";

/** Whether ids are those of the lines, UUIDs in their place, or own ones with the largest scale fed with UUIDs as well. */
export type Ids = "own" | "uuid" | "both";

/** Something to load. */
export interface Scale {
  name: string;
  /** 0 where the lines are those of a file. */
  customers: number;
  /** Where its database is kept. */
  folder: string;
}

const FOLDER = path.join(ROOT, ".wrangler", "bench");

/** Where the databases of inboxes and sockets are kept. */
export const LIVE_FOLDERS = { feeds: path.join(FOLDER, "live-feeds"), memory: path.join(FOLDER, "live-memory") };

/** The scales that an option names, from the smallest to the largest. */
export function scales(text: string): Scale[] {
  const named = text.split(",").map((name) => {
    const [, number, unit = ""] = /^([1-9]\d{0,3})(k|m)$/.exec(name) ?? [];
    if (number === undefined) throw new InvalidArgumentError("Such as 10k, 100k or 1m.");
    const customers = Number(number) * (unit === "m" ? 1_000_000 : 1_000);
    return { name, customers, folder: path.join(FOLDER, name) };
  });
  return named.sort((one, other) => one.customers - other.customers);
}

/** The scale that is a feed file. @throws a CommandError where there is none. */
export function scaleOf(file: string): Scale {
  if (!existsSync(file)) throw new CommandError(`There is no file ${file}.`);
  const hash = createHash("sha256").update(path.resolve(file)).digest("hex").slice(0, 16);
  return { name: path.basename(file), customers: 0, folder: path.join(FOLDER, `data-${hash}`) };
}

/** The folder of the same scale with UUIDs. */
export function uuidFolder({ folder }: Scale): string {
  return `${folder}-uuid`;
}
