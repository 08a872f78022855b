import { type SQL, sql } from "drizzle-orm";
import { compileOnce, type PlaceholderOf } from "../../db/compile.ts";
import { columnNames, jsonOf, select } from "../../db/select.ts";
import { type Actor, isTakenBy, journalAct, takeVersion } from "../../records/acts.ts";
import { block, blocks } from "../../records/block.ts";
import { storedCustomerKeyOf } from "../../records/customer.ts";
import { notifyOwnInbox, type OwnAct } from "../../records/own-acts.ts";
import { programState } from "../../records/program.ts";
import { hasBlocked } from "../rules.ts";

type Placeholders = PlaceholderOf<OwnAct | "blocked_id">;

const callerOf = (placeholder: Placeholders) => storedCustomerKeyOf(placeholder("subject"));
const otherOf = (placeholder: Placeholders) => storedCustomerKeyOf(placeholder("blocked_id"));
const isBlocked = (placeholder: Placeholders) => hasBlocked(callerOf(placeholder), otherOf(placeholder));

/** The statements that store that the customer blocks another, for `act`. `found`: whether both are stored. */
export const writeBlock = actOf("block", {
  isChange: (placeholder) => sql`
    ${callerOf(placeholder)} IS NOT NULL AND ${otherOf(placeholder)} IS NOT NULL AND NOT ${isBlocked(placeholder)}`,
  change: (placeholder) => sql`
    INSERT INTO ${blocks} (${columnNames(blocks.customer_key, blocks.blocked_key)})
    SELECT ${callerOf(placeholder)}, ${otherOf(placeholder)} FROM ${programState} WHERE ${isTakenBy(placeholder)}`,
  line: {},
});

/** The statements that end a block, for `act`. */
export const removeBlock = actOf("unblock", {
  isChange: isBlocked,
  change: (placeholder) => sql`
    DELETE FROM ${blocks}
    WHERE ${blocks.customer_key} = ${callerOf(placeholder)} AND ${blocks.blocked_key} = ${otherOf(placeholder)}
      AND EXISTS (SELECT 1 FROM ${programState} WHERE ${isTakenBy(placeholder)})`,
  line: { deleted: sql`json('true')` },
});

interface Change {
  isChange(placeholder: Placeholders): SQL;
  change(placeholder: Placeholders): SQL;
  /** What the line in the changes says besides its key. */
  line: Readonly<Record<string, SQL>>;
}

function actOf(name: string, { isChange, change, line }: Change) {
  const begin = compileOnce(`blocks/${name}/begin`, (placeholder: Placeholders) =>
    takeVersion(placeholder("act"), isChange(placeholder)),
  );
  const store = compileOnce(`blocks/${name}/store`, change);
  const journalBlock = compileOnce(`blocks/${name}/journal`, (placeholder: Placeholders) => {
    const key = { customer_id: sql`${placeholder("subject")}`, blocked_id: sql`${placeholder("blocked_id")}` };
    return journalAct(placeholder, jsonOf({ record: sql.raw(`'${block.record}'`), ...key, ...line }));
  });
  return (blocked_id: string, actor: { act: string } & Actor) => {
    const values = { ...actor, blocked_id };
    return {
      begun: [begin(values)],
      stored: [store(values)],
      notified: [notifyOwnInbox(values)],
      changes: [journalBlock(values)],
      found: [selectFound(values)],
    };
  };
}

const selectFound = compileOnce("blocks/found", (placeholder: Placeholders) =>
  select(
    {
      hasCaller: sql<0 | 1>`${callerOf(placeholder)} IS NOT NULL`,
      hasOther: sql<0 | 1>`${otherOf(placeholder)} IS NOT NULL`,
    },
    sql``,
  ),
);
