import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import path from "node:path";
import { InvalidArgumentError } from "commander";
import { CommandError, ROOT } from "../lib/project.ts";

/** Something to load. */
export interface Scale {
  name: string;
  /** 0 where the lines are those of a file. */
  customers: number;
  /** Where its database is stored. */
  folder: string;
}

export const FOLDER = path.join(ROOT, ".wrangler", "bench");

/** The scales that an option names, from the smallest to the largest. */
export function scales(text: string): Scale[] {
  const named = text.split(",").map((name) => {
    const [, number, unit = ""] = /^([1-9]\d{0,3})(k|m)$/.exec(name) ?? [];
    if (number === undefined) throw new InvalidArgumentError("Such as 10k, 100k or 1m.");
    const customers = Number(number) * (unit === "m" ? 1_000_000 : 1_000);
    return { name, customers, folder: path.join(FOLDER, name) };
  });
  if (new Set(named.map(({ name }) => name)).size < named.length)
    throw new InvalidArgumentError("A scale is named twice.");
  return named.sort((one, other) => one.customers - other.customers);
}

/** The scale that is a feed file. @throws a CommandError where there is none. */
export function scaleOf(file: string): Scale {
  if (!existsSync(file)) throw new CommandError(`There is no file ${file}.`);
  const hash = createHash("sha256").update(path.resolve(file)).digest("hex").slice(0, 16);
  return { name: path.basename(file), customers: 0, folder: path.join(FOLDER, `data-${hash}`) };
}
