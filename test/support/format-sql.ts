/** A word, a sign or a text of a statement; or parentheses with the tokens `inside`. */
interface Token {
  text: string;
  /** Whether a blank comes before it. */
  isApart: boolean;
  inside?: Token[];
}

const WIDTH = 100;
const TOKEN = /(\s*)('(?:[^']|'')*'|`[^`]*`|"(?:[^"]|"")*"|\w+|[(),]|[^\s\w'"`(),]+)/g;
// Each begins a line.
const CLAUSES =
  /^(WITH|SELECT|FROM|WHERE|GROUP|HAVING|ORDER|LIMIT|UNION|SET|VALUES|RETURNING|INSERT|DELETE|CROSS|LEFT|JOIN)$/;
const KEYWORDS =
  /^(with|select|from|where|group|by|having|order|limit|offset|union|all|set|values|returning|insert|into|update|delete|cross|left|join|on|conflict|do|as|and|or|in|is|not|null|asc|desc|exists|distinct)$/;

/** Writes a statement over several lines, for readers. Names without need of quotes lose them. */
export function formatSql(sql: string): string {
  const tokens = [...sql.matchAll(TOKEN)].map(([, blank, text = ""]) => ({ text: plain(text), isApart: blank !== "" }));
  return linesOf(grouped(tokens.values()), 0).join("\n");
}

function plain(text: string): string {
  if (KEYWORDS.test(text)) return text.toUpperCase();
  const name = /^[`"]([a-z_0-9]+)[`"]$/.exec(text)?.[1];
  return name === undefined || KEYWORDS.test(name) ? text : name;
}

/** Collects tokens up to the closing parenthesis. */
function grouped(tokens: Iterator<Token>): Token[] {
  const list: Token[] = [];
  for (let next = tokens.next(); !next.done && next.value.text !== ")"; next = tokens.next())
    list.push(next.value.text === "(" ? { ...next.value, inside: grouped(tokens) } : next.value);
  return list;
}

function inOneLine(tokens: readonly Token[]): string {
  const texts = tokens.map(({ text, isApart, inside }, index) => {
    const blank = isApart && index > 0 ? " " : "";
    return blank + (inside === undefined ? text : `(${inOneLine(inside)})`);
  });
  return texts.join("");
}

function linesOf(tokens: readonly Token[], indent: number): string[] {
  return splitBefore(tokens, beginsClause).flatMap((clause) => clauseLines(clause, indent));
}

function beginsClause({ text }: Token, before?: Token, after?: Token): boolean {
  if (text === "ON") return after?.text === "CONFLICT";
  return CLAUSES.test(text) && !(text === "JOIN" && /^(CROSS|LEFT)$/.test(before?.text ?? ""));
}

function clauseLines(clause: readonly Token[], indent: number): string[] {
  if (fits(clause, indent)) return [" ".repeat(indent) + inOneLine(clause)];
  const keyword = clause.find(({ text }) => CLAUSES.test(text))?.text;
  const parts = clause.some(({ text }) => text === ",")
    ? splitBefore(clause, (_, before) => before?.text === ",")
    : splitBefore(clause, ({ text }) => /^(AND|OR|\|\||ON)$/.test(text));
  // The arguments of a function share lines. What belongs to a keyword stands further in, but not the tables of WITH.
  const items = keyword === undefined ? filled(parts, indent) : parts;
  const further = keyword === undefined || keyword === "WITH" ? 0 : 2;
  return items.flatMap((part, index) => partLines(part, indent + (index > 0 ? further : 0)));
}

/** Joins parts as long as they fit into a line. */
function filled(parts: readonly Token[][], indent: number): Token[][] {
  const lines: Token[][] = [];
  for (const part of parts) {
    const joined = [...(lines.at(-1) ?? []), ...part];
    if (lines.length > 0 && fits(joined, indent)) lines[lines.length - 1] = joined;
    else lines.push(part);
  }
  return lines;
}

/** Breaks at the first parentheses that are too long for a line. */
function partLines(part: readonly Token[], indent: number): string[] {
  const long = fits(part, indent) ? -1 : part.findIndex(({ inside }) => inside && !fits(inside, WIDTH / 2));
  const group = part[long];
  if (group?.inside === undefined) return [" ".repeat(indent) + inOneLine(part)];
  const head = inOneLine([...part.slice(0, long), { text: "(", isApart: group.isApart }]);
  const [tail = "", ...rest] = partLines([{ text: ")", isApart: false }, ...part.slice(long + 1)], indent);
  return [" ".repeat(indent) + head, ...linesOf(group.inside, indent + 2), tail, ...rest];
}

function fits(tokens: readonly Token[], indent: number): boolean {
  return indent + inOneLine(tokens).length <= WIDTH;
}

function splitBefore(
  tokens: readonly Token[],
  begins: (token: Token, before?: Token, after?: Token) => boolean,
): Token[][] {
  const parts: Token[][] = [];
  for (const [index, token] of tokens.entries()) {
    if (parts.length === 0 || begins(token, tokens[index - 1], tokens[index + 1])) parts.push([]);
    parts.at(-1)?.push(token);
  }
  return parts;
}
