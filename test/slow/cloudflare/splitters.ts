import { unstable_splitSqlQuery as splitSqlQuery } from "wrangler";

// How D1 may cut the text of a request into statements. Nobody outside knows how it does, so a migration must pass each.

export type Splitter = (text: string) => string[];

/** Cuts at each semicolon outside `BEGIN … END`, and outside what the pattern finds. */
function cut(text: string, inside = /(?!)/g): string[] {
  const spans = [...text.matchAll(inside)].map(({ 0: found, index }) => [index, index + found.length] as const);
  const statements: string[] = [];
  let [begun, depth] = [0, 0];
  for (const { 0: token, index } of text.matchAll(/\b(BEGIN|END)\b|;/g)) {
    if (spans.some(([from, to]) => from < index && index < to)) continue;
    if (token === "BEGIN") depth += 1;
    else if (token === "END") depth = Math.max(0, depth - 1);
    else if (depth === 0) {
      statements.push(text.slice(begun, index + 1));
      begun = index + 1;
    }
  }
  return [...statements, text.slice(begun)].filter((statement) => statement.trim() !== "");
}

const QUOTED = /'[^']*'?|"[^"]*"?/g;
const QUOTED_OUTSIDE_COMMENTS = /(?<!--.*)(?:'[^']*'|"[^"]*")/g;

export const SPLITTERS: ReadonlyMap<string, Splitter> = new Map([
  ["at each semicolon outside BEGIN … END", (text) => cut(text)],
  // workers-sdk#4713, open.
  ["as if a quote mark in a comment opened a string", (text) => cut(text, QUOTED)],
  // workers-sdk#3892, closed.
  ["also at a semicolon in a comment", (text) => cut(text, QUOTED_OUTSIDE_COMMENTS)],
  // workers-sdk#15690 and alchemy-run/alchemy#1673, open: a trigger passed on one line only.
  ["at each line that ends in a semicolon", (text) => text.split(/(?<=;)[ \t]*\n/).flatMap((line) => cut(line))],
]);

/** What D1 says of a statement before SQLite sees it. */
export function refuseStatement(statement: string): void {
  const { length } = splitSqlQuery(statement);
  if (length === 0 || statement.replaceAll(/--.*/g, "").trim().replace(/^;$/, "") === "")
    throw new Error("SQL code did not contain a statement.");
  if (length > 1) throw new Error("A prepared SQL statement must contain only one statement");
}
