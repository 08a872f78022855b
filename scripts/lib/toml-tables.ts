/** A table of a TOML text: a `[header]` or `[[header]]` with its keys, and where it stands. */
export interface TomlTable {
  /** The names of the header: `env`, `staging` and `vars` of `[env.staging.vars]`. */
  path: readonly string[];
  /** Where the header's line begins. */
  from: number;
  /** Where the line of its last key ends, without its line break. Comments right below belong to it. */
  to: number;
}

// A string, a comment, a bracket, a line break, or anything between them. Only strings, comments and brackets decide
// where a value ends: it may go on over lines that look like headers.
const TOKEN =
  /"""(?:\\[\s\S]|[^\\])*?"""(?!")|'''[\s\S]*?'''(?!')|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|#[^\n]*|[[\]{}\n]|[^"'#[\]{}\n]+|["']/gy;
const HEADER = /\[\[?((?:"(?:\\.|[^"\\\n])*"|'[^'\n]*'|[\w.\t -])+)\]/y;
const NAME = /"(?:\\.|[^"\\])*"|'[^']*'|[\w-]+/g;
const COMMENT_LINE = /[ \t]*#[^\n]*(?:\n|$)/y;
const BLANK_LINE_OR_END = /[ \t]*(?:\r?\n|$)/y;

/** The tables of a TOML text in their order. Of a text that is no TOML they are of no use. */
export function findTables(text: string): TomlTable[] {
  const tables: TomlTable[] = [];
  for (let at = 0; at < text.length; ) {
    const end = endOfExpression(text, at);
    const start = at + (/^[^\S\n]*/.exec(text.slice(at, end))?.[0].length ?? 0);
    const last = tables.at(-1);
    HEADER.lastIndex = start;
    const [, names] = text[start] === "[" ? (HEADER.exec(text) ?? []) : [];
    const to = withoutLineBreak(text, end);
    if (names !== undefined)
      tables.push({ path: [...names.matchAll(NAME)].map(([name]) => unquoted(name)), from: at, to });
    else if (last !== undefined && start < to && text[start] !== "#") last.to = to;
    at = end;
  }
  return tables.map((table) => ({ ...table, to: endWithComments(text, table.to) }));
}

/** The text with a table of these lines after another one, in the line breaks that stand there. */
export function insertAfter(text: string, { from, to }: TomlTable, lines: readonly string[]): string {
  const lineBreak = /\r?\n/.exec(text.slice(from))?.[0] ?? "\n";
  return text.slice(0, to) + lineBreak + lineBreak + lines.join(lineBreak) + text.slice(to);
}

/** The text without a table, and without the blank lines before it. */
export function withoutTable(text: string, { from, to }: TomlTable): string {
  const before = text.slice(0, from).replace(/(?:\r?\n[ \t]*)+$/, "");
  return before === "" ? text.slice(to).replace(/^(?:\r?\n)+/, "") : before + text.slice(to);
}

/** Where the line that begins here ends, with its line break: for a value of several lines, the last of them. */
function endOfExpression(text: string, from: number): number {
  TOKEN.lastIndex = from;
  for (let depth = 0; ; ) {
    const [token] = TOKEN.exec(text) ?? [];
    if (token === undefined) return text.length;
    if (token === "[" || token === "{") depth += 1;
    else if (token === "]" || token === "}") depth -= 1;
    else if (token === "\n" && depth <= 0) return TOKEN.lastIndex;
  }
}

function withoutLineBreak(text: string, end: number): number {
  return end - (/\r?\n$/.exec(text.slice(Math.max(0, end - 2), end))?.[0].length ?? 0);
}

/** Comments right below the last key are about this table, unless the next one follows them at once. */
function endWithComments(text: string, to: number): number {
  const lineBreak = /^\r?\n/.exec(text.slice(to, to + 2))?.[0] ?? "";
  let end = to + lineBreak.length;
  for (COMMENT_LINE.lastIndex = end; COMMENT_LINE.exec(text) !== null; ) end = COMMENT_LINE.lastIndex;
  BLANK_LINE_OR_END.lastIndex = end;
  const hasComments = end > to + lineBreak.length;
  return hasComments && BLANK_LINE_OR_END.test(text) ? withoutLineBreak(text, end) : to;
}

function unquoted(name: string): string {
  if (name.startsWith('"')) return String(JSON.parse(name));
  return name.startsWith("'") ? name.slice(1, -1) : name;
}
