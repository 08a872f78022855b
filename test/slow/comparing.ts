import path from "node:path";
import { adviceOn, compareFiles } from "../../scripts/compare/compare.ts";
import { ComparedLines } from "../../scripts/compare/compared-lines.ts";
import type { Difference, Differences } from "../../scripts/compare/differences.ts";
import { addFile } from "../../scripts/compare/read-lines.ts";
import { refuseManyDeletes } from "../../scripts/compare/synchronize.ts";
import type { Totals } from "../../scripts/compare/totals.ts";
import { removeFolder, temporaryFolder } from "./clone.ts";
import { fileOf } from "./feeding.ts";

type Line = Readonly<Record<string, unknown>>;

interface Choice {
  /** These kinds; left out: those of the file. */
  only?: readonly string[];
  accounts?: readonly string[];
}

/**
 * Compares the lines of a file with those of an export. Resolves with the differences, the table of counts and sums,
 * what to do, and why --sync would refuse to delete; "": it would not.
 */
export async function comparisonOf(file: readonly Line[], exported: readonly Line[], { only, accounts }: Choice = {}) {
  const textsOf = (all: readonly Line[]) => all.map((line) => JSON.stringify(line));
  const [fileName, exportName] = [fileOf(textsOf(file)), fileOf(textsOf(exported))];
  const folder = temporaryFolder();
  const lines = new ComparedLines(path.join(folder, "lines.sqlite"));
  const { signal } = new AbortController();
  try {
    const held = await addFile(lines, fileName, { signal });
    const kinds = new Set(only ?? held);
    const { differences, totals } = await compareFiles(lines, {
      file: fileName,
      exported: exportName,
      kinds,
      accounts: accounts && new Set(accounts),
      signal,
    });
    // Those to send come before those to delete, as --sync does.
    const remedies = ["send", "delete", "never"] as const;
    const all: Difference[] = remedies.flatMap((remedy) => [...differences.all({ remedy })]);
    return { all, text: String(totals), advice: adviceOn(differences), refusal: refusalOf(differences, totals) };
  } finally {
    lines.close();
    removeFolder(folder);
  }
}

function refusalOf(...compared: [Differences, Totals]): string {
  try {
    refuseManyDeletes(...compared, undefined);
    return "";
  } catch (error) {
    return String(error);
  }
}
