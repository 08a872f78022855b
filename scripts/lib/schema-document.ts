import { type Comments, type Migration, readComments } from "./schema-comments.ts";
import { diagram, overview } from "./schema-diagram.ts";
import type { Column, Reference, Schema, Table } from "./schema-facts.ts";

const INTRODUCTION = `# Schema

Every table of the database, as the migrations make it. \`npm run schema\` generates this page from [migrations/](../migrations):
the descriptions are the comments there, the rest is what a migrated database says of itself. A test fails when the page is out of date.

- **Keys and ids.** \`id\` is the public id that the interface and the feed know. Inside the database a row is referred to by its \`key\`, an integer
  in the order first stored. Keys never leave the database. An id stands a second time only where it breaks the ties of a list.
- **State and events.** Most rows are state: the feed writes new values over them. The row of an event is stored once by its \`id\` and never changes.
- **Defaults.** The feed fills in every field of a record, so these columns have no default here. A column with a default is set by the service.
- **Values.** Times are UTC, \`YYYY-MM-DD HH:MM:SS\`; dates are \`YYYY-MM-DD\`. Amounts are integers in hundredths. Flags are 1 and 0.
- **Soft deletion.** \`deleted\` is 1 in the row that was deleted and nowhere else. Queries leave out whatever is reached through that row, and all of it
  returns when the feed writes the record again.
- **Derived data** follows from other rows and is stored so that reading it is cheap. Triggers or the feed keep it current. A view \`expected_…\` says what a
  derived table or search index must hold, and the triggers write what it says. \`src/db/derived/\` has a file for each, by
  which \`npm run verify-totals\` recounts and repairs it.
- **References** are checked when a transaction ends, so that the lines of a feed may come in any order.`;

const DIAGRAMS = `The tables that others refer to; each section has a diagram of its own. A fork is the side with any number of rows, a circle says that
there may be none. A line is labelled with the columns that refer where these are not named after the table. A dotted line leads to what is derived.`;

interface Page {
  comments: Comments;
  schema: Schema;
}

type Section = Comments["sections"][number];

/** The page docs/schema.md: what the migrations say in comments, and a migrated database of itself. */
export function schemaDocument(migrations: readonly Migration[], schema: Schema): string {
  const page = { comments: readComments(migrations), schema };
  const { sections } = page.comments;
  const parts = [
    INTRODUCTION,
    contents(page),
    DIAGRAMS,
    overview(schema),
    ...sections.flatMap((section) => describeSection(page, section)),
  ];
  return `${parts.join("\n\n")}\n`;
}

function contents(page: Page): string {
  const rows = page.comments.sections.map((section) => [
    link(title(section), title(section)),
    headed(page, section)
      .map(({ name, heading }) => link(code(name), heading))
      .join(", "),
  ]);
  return markdownTable(["section", "tables, views, search indexes"], rows);
}

/** `0002_accounts.sql` is about accounts. */
function title({ migration }: Section): string {
  const noun = migration.replace(/^\d+_(.*)\.sql$/, "$1");
  return noun.charAt(0).toUpperCase() + noun.slice(1);
}

interface Headed {
  name: string;
  heading: string;
}

/** What has a heading of its own; what belongs to a table or a search index stands below that. */
function headed({ schema }: Page, { created }: Section): Headed[] {
  const headings = new Map([
    ...schema.tables.map(({ name }) => [name, `Table \`${name}\``] as const),
    ...schema.views
      .filter(({ name }) => !name.startsWith("expected_"))
      .map(({ name }) => [name, `View \`${name}\``] as const),
    ...schema.virtualTables
      .filter(({ module }) => module === "fts5")
      .map(({ name }) => [name, `Search index \`${name}\``] as const),
  ]);
  return created.flatMap(({ name }) => {
    const heading = headings.get(name);
    return heading === undefined ? [] : [{ name, heading }];
  });
}

function describeSection(page: Page, section: Section): string[] {
  const objects = headed(page, section);
  const names = objects.map(({ name }) => name);
  const drawn = diagram(page.schema, names);
  return [
    `## ${title(section)}`,
    `From [${section.migration}](../migrations/${section.migration}).`,
    ...(drawn === undefined ? [] : [drawn]),
    ...objects.flatMap(({ name, heading }) => [`### ${heading}`, description(page, name), ...details(page, name)]),
  ];
}

/** What the comment before a CREATE says. */
function description(page: Page, name: string): string {
  const created = page.comments.sections.flatMap((section) => section.created);
  return namesAsCode(page, created.find((object) => object.name === name)?.description ?? "");
}

/** Sets the names of tables, indexes, views and triggers as code; a name of one word may be just that word. */
function namesAsCode({ comments }: Page, text: string): string {
  const created = comments.sections.flatMap((section) => section.created);
  const names = new Set(created.map(({ name }) => name).filter((name) => name.includes("_")));
  return text.replace(/`[^`]*`|\w+/g, (word) => (names.has(word) ? code(word) : word));
}

function details(page: Page, name: string): string[] {
  const { tables, views, virtualTables } = page.schema;
  const table = tables.find((other) => other.name === name);
  const view = views.find((other) => other.name === name);
  const notes = [
    ...(table === undefined ? [] : keyNotes(page, table)),
    ...(view === undefined || view.reads.length === 0 ? [] : [`Reads ${codes(view.reads)}.`]),
    ...views
      .filter((other) => other.name === `expected_${name}`)
      .map((other) => `View ${code(other.name)}, of ${codes(other.reads)}: ${description(page, other.name)}`),
    ...virtualTables
      .filter((other) => other.name === `${name}_terms`)
      .map((other) => `Virtual table ${code(other.name)} (${other.module}): ${description(page, other.name)}`),
    ...triggerNotes(page, name),
  ];
  return [
    ...(table === undefined ? [] : [columnTable(page, table)]),
    ...(notes.length === 0 ? [] : [notes.map((note) => `- ${note}`).join("\n")]),
  ];
}

function columnTable(page: Page, table: Table): string {
  const rows = table.columns.map((column) => [
    code(column.name),
    column.type,
    column.notNull || column.generated !== null ? "" : "yes",
    column.default === null ? "" : code(column.default),
    referenceOf(column, table.references),
    columnText(table, column, namesAsCode(page, page.comments.columns.get(`${table.name}.${column.name}`) ?? "")),
  ]);
  return markdownTable(["column", "type", "null", "default", "refers to", "description"], rows);
}

function referenceOf({ name }: Column, references: readonly Reference[]): string {
  return references
    .filter(({ columns }) => columns.includes(name))
    .map(({ table, columns, foreignColumns }) => code(`${table}.${foreignColumns[columns.indexOf(name)]}`))
    .join(", ");
}

function columnText(table: Table, { name, keyPosition, generated, stored }: Column, comment: string): string {
  const isKey = keyPosition > 0 && keyColumns(table).length === 1;
  const isUnique = table.unique.some((columns) => columns.length === 1 && columns[0] === name);
  return [
    ...(isKey ? [`primary key${table.autoIncrement ? ", never used again" : ""}`] : []),
    ...(isUnique ? ["unique"] : []),
    ...(comment === "" ? [] : [comment]),
    ...(generated === null ? [] : [`computed when ${stored ? "written" : "read"}: ${code(generated)}`]),
  ].join("; ");
}

function keyColumns({ columns }: Table): string[] {
  return columns
    .filter(({ keyPosition }) => keyPosition > 0)
    .sort((one, other) => one.keyPosition - other.keyPosition)
    .map(({ name }) => name);
}

/** The keys of several columns, the checks and the indexes of a table. */
function keyNotes(page: Page, table: Table): string[] {
  const key = keyColumns(table).map((name) => sorted(name, table.descendingKey.includes(name)));
  return [
    ...(key.length > 1
      ? [`Primary key ${key.join(", ")}${table.withoutRowid ? "; rows are stored in this order" : ""}.`]
      : []),
    ...table.unique.filter(({ length }) => length > 1).map((columns) => `Unique ${codes(columns)}.`),
    ...table.checks.map((check) => `Check ${code(check)}.`),
    ...table.indexes.map(({ name, columns, unique, where }) => {
      const on = columns.map((column) => sorted(column.name, column.descending)).join(", ");
      const only = where === null ? "" : ` where ${code(where)}`;
      return `${unique ? "Unique index" : "Index"} ${code(name)} on ${on}${only}: ${description(page, name)}`;
    }),
  ];
}

function sorted(column: string, descending: boolean): string {
  return `${code(column)}${descending ? " descending" : ""}`;
}

/** The triggers of a table in the order of the migrations, and those of other tables that write it. */
function triggerNotes(page: Page, name: string): string[] {
  const triggers = page.comments.sections
    .flatMap(({ created }) => created)
    .flatMap((object) => page.schema.triggers.filter((trigger) => trigger.name === object.name));
  const others = triggers.filter(({ table, writes }) => table !== name && writes.includes(name));
  const writers = [...Map.groupBy(others, ({ table }) => table)].map(
    ([table, ofTable]) => `${code(table)} (${codes(ofTable.map((trigger) => trigger.name))})`,
  );
  return [
    ...triggers
      .filter(({ table }) => table === name)
      .map(({ name: trigger, fires, of: columns, writes }) => {
        const when = `${fires}${columns.length === 0 ? "" : ` of ${codes(columns)}`}`;
        const effect = writes.length === 0 ? "" : ` Writes ${codes(writes)}.`;
        return `Trigger ${code(trigger)}, ${when}: ${description(page, trigger)}${effect}`;
      }),
    ...(writers.length === 0 ? [] : [`Written by triggers of ${writers.join(" and ")}.`]),
  ];
}

/** A table without the columns that are empty. */
function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const used = head.map((_, column) => rows.some((row) => row[column] !== ""));
  const line = (cells: readonly string[]) =>
    `| ${cells
      .filter((_, column) => used[column])
      .map((cell) => cell.replaceAll("|", "\\|"))
      .join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function code(text: string): string {
  return `\`${text}\``;
}

function codes(names: readonly string[]): string {
  return names.map(code).join(", ");
}

/** A link to a heading, as GitHub names its anchors. */
function link(text: string, heading: string): string {
  const anchor = heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
  return `[${text}](#${anchor})`;
}
