import type { Reference, Schema, Table } from "./schema-facts.ts";

interface Line {
  from: string;
  to: string;
  text: string;
}

/** What refers to what, of the tables that others refer to. */
export function overview(schema: Schema): string {
  const referredTo = new Set(schema.tables.flatMap(({ references }) => references.map(({ table }) => table)));
  const lines = schema.tables.flatMap(relations).filter(({ from, to }) => referredTo.has(from) && referredTo.has(to));
  return draw(lines);
}

/** These tables, what they refer to and what they are derived from; none where one line would be all. */
export function diagram(schema: Schema, names: readonly string[]): string | undefined {
  const lines = schema.tables
    .filter(({ name }) => names.includes(name))
    .flatMap((table) => [...relations(table), ...derivations(schema, table.name)]);
  return lines.length < 2 ? undefined : draw(lines);
}

function draw(lines: readonly Line[]): string {
  return ["```mermaid", "erDiagram", "  direction LR", ...lines.map(({ text }) => `  ${text}`), "```"].join("\n");
}

function relations(table: Table): Line[] {
  return table.references.map((reference) => relation(table, reference));
}

/** `||` is exactly one, `|o` one or none, `o{` any number; the label is what refers, unless `store_key` says stores. */
function relation({ name, columns }: Table, reference: Reference): Line {
  const parts = columns.filter((column) => reference.columns.includes(column.name));
  const keys = columns.filter(({ keyPosition }) => keyPosition > 0);
  const one = parts.every(({ notNull }) => notNull) ? "||" : "|o";
  const many = parts.length === keys.length && parts.every(({ keyPosition }) => keyPosition > 0) ? "o|" : "o{";
  const label = reference.columns.join(", ");
  const said = label === `${reference.table.replace(/s$/, "")}_key` ? "" : label;
  const text = `${reference.table} ${one}--${many} ${name} : "${said}"`;
  return { from: reference.table, to: name, text };
}

/** Dotted lines from the tables that the view `expected_…` of a derived table reads, through other views too. */
function derivations({ tables, views }: Schema, name: string): Line[] {
  const read = (view: string): string[] =>
    (views.find((other) => other.name === view)?.reads ?? []).flatMap((source) =>
      tables.some((table) => table.name === source) ? [source] : read(source),
    );
  const sources = [...new Set(read(`expected_${name}`))];
  return sources.map((from) => ({ from, to: name, text: `${from} ||..o{ ${name} : ""` }));
}
