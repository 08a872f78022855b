import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import * as z from "zod";
import { defineEvent, defineState } from "../../../src/feed/records/kind.ts";

// Checked by tsc alone: each `@ts-expect-error` is itself an error as soon as the line below it compiles.

const people = sqliteTable("people", {
  key: integer().primaryKey(),
  id: text().notNull().unique(),
  firstName: text("first_name").notNull(),
  birthday: text(),
  balance: integer().notNull().default(0),
  erased: integer().notNull().default(0),
});

const fields = z.object({ id: z.string(), first_name: z.string(), birthday: z.string().nullable() });
const columns = { id: "id", firstName: "first_name", birthday: "birthday" } as const;
const common = { record: "person", fields, references: {} };
const state = { ...common, key: ["id"], keyFields: ["id"], fixed: [] } as const;
const event = { ...common, totals: () => [] };

defineState(people, { ...state, columns, deletion: { column: "erased", live: 0 } });
defineState(people, {
  ...state,
  columns,
  deletion: { column: "erased", live: 0, clears: { firstName: "", birthday: null } },
});
defineEvent(people, { ...event, columns });

// @ts-expect-error A column is misspelt: firstname.
defineState(people, { ...state, columns: { id: "id", firstname: "first_name", birthday: "birthday" } });
// @ts-expect-error A column more than the table has: nickname.
defineState(people, { ...state, columns: { ...columns, nickname: "first_name" } });
// @ts-expect-error A column is forgotten: birthday.
defineState(people, { ...state, columns: { id: "id", firstName: "first_name" } });
// @ts-expect-error A derived column is none that a line fills: balance.
defineState(people, { ...state, columns: { ...columns, balance: "birthday" } });
// @ts-expect-error A column is filled from a field that the record does not have: name.
defineState(people, { ...state, columns: { ...columns, firstName: "name" } });
// @ts-expect-error The key names a column by its name in SQL.
defineState(people, { ...state, columns, key: ["first_name"] });
// @ts-expect-error A fixed column is misspelt: birthDay.
defineState(people, { ...state, columns, fixed: ["birthDay"] });
// @ts-expect-error A reference is by a field that the record does not have: store_id.
defineState(people, { ...state, columns, references: { store_id: { table: people } } });
// @ts-expect-error The column of deletion is misspelt: deleted.
defineState(people, { ...state, columns, deletion: { column: "deleted", live: 0 } });
// @ts-expect-error Erasing forgets a personal column: birthday.
defineState(people, { ...state, columns, deletion: { column: "erased", live: 0, clears: { firstName: "" } } });

// @ts-expect-error An event's column is misspelt: firstname.
defineEvent(people, { ...event, columns: { id: "id", firstname: "first_name", birthday: "birthday" } });
// @ts-expect-error An event's column is forgotten: birthday.
defineEvent(people, { ...event, columns: { id: "id", firstName: "first_name" } });

const amounts = z.object({ id: z.string(), first_name: z.string().transform(Number), birthday: z.string().nullable() });
const counted = sqliteTable("counted", { id: text().notNull(), firstName: integer().notNull(), birthday: text() });

defineState(counted, { ...state, fields: amounts, columns, readBack: { first_name: { column: "firstName" } } });
// @ts-expect-error A text that is stored as a number does not say how it is read back: first_name.
defineState(counted, { ...state, fields: amounts, columns });
// @ts-expect-error It is read back from a column that the table does not have: first.
defineState(counted, { ...state, fields: amounts, columns, readBack: { first_name: { column: "first" } } });
// @ts-expect-error A field is in no column, and does not say how it is read back: nickname.
defineEvent(people, { ...event, fields: fields.extend({ nickname: z.string() }), columns });
