import { writeFileSync } from "node:fs";
import path from "node:path";
import { temporaryFolder } from "./clone.ts";
import { inProcess } from "./in-process.ts";

export const customer = (number: number) =>
  JSON.stringify({ record: "customer", id: `c${number}`, first_name: "A", last_name: "B" });
export const customers = (count: number) => Array.from({ length: count }, (_, index) => customer(index + 1));

/** A file of these lines, or with these bytes. */
export function fileOf(content: readonly string[] | Buffer, name = "lines"): string {
  const file = path.join(temporaryFolder(), name);
  writeFileSync(file, content instanceof Buffer ? content : content.join("\n"));
  return file;
}

export const feed = (...args: string[]) => inProcess("feed", args);
