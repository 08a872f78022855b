import { type SQL, sql } from "drizzle-orm";
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type * as z from "zod";
import {
  byDatabase,
  fedTime,
  fixed,
  key,
  keyOf,
  mayReferTo,
  owner,
  refersTo,
  softDelete,
  subject,
} from "../db/columns.ts";
import type { Fields, Kind, WrittenLine } from "../db/kind.ts";
import { restoredPart, state } from "../db/record.ts";
import { orNull } from "../values/scalar.ts";
import { Id } from "../values/text.ts";
import { FedTime } from "../values/time.ts";
import { currentMember, customer, customerIdOf, customers, Life, lifeIn, lifeOf, memberIn } from "./customer.ts";
import { store } from "./store.ts";

/** The levels of a team below a member. */
export const LEVELS = [1, 2, 3, 4, 5] as const;

/**
 * The columns of a membership. A customer who was erased and written again has other keys in teams. So a former membership
 * stays in the tree for the members below, and none of it returns. A line of the feed means the current life. An export says
 * the lives, so that a restore keeps the former memberships.
 */
function membershipOf<const M extends z.ZodRawShape, const R extends z.ZodRawShape>(
  member: { fields: M; key: SQL },
  referrer: { fields: R; key: SQL },
) {
  return state(
    "membership",
    "memberships",
    {
      store_key: owner(key(refersTo(store, { store_id: Id }))),
      member_key: key({
        ...refersTo(customer, { customer_id: Id, ...member.fields }),
        column: integer().notNull(),
        keyOnLine: "customer_key",
        value: member.key,
      }),
      customer_key: subject(byDatabase(keyOf(customer))),
      referrer_member_key: fixed({
        ...mayReferTo(customer, { referrer_id: orNull(Id), ...referrer.fields }),
        column: integer(),
        keyOnLine: "referrer_key",
        value: referrer.key,
      }),
      referrer_key: byDatabase(keyOf(customer)),
      joined_at: fedTime(orNull(FedTime)),
      /** 1: a member now. Who leaves keeps the row, so that the members below keep their places in the tree. */
      joined: softDelete(0),
      /** Derived: the members now, one level below. Triggers count these five. */
      members_1: byDatabase(integer().notNull().default(0)),
      members_2: byDatabase(integer().notNull().default(0)),
      members_3: byDatabase(integer().notNull().default(0)),
      members_4: byDatabase(integer().notNull().default(0)),
      members_5: byDatabase(integer().notNull().default(0)),
      /** Derived: the tokens earned from one level below, in hundredths. */
      tokens_1: byDatabase(integer().notNull().default(0)),
      tokens_2: byDatabase(integer().notNull().default(0)),
      tokens_3: byDatabase(integer().notNull().default(0)),
      tokens_4: byDatabase(integer().notNull().default(0)),
      tokens_5: byDatabase(integer().notNull().default(0)),
      /** Derived: in which round of an export it comes. A trigger sets it. */
      export_round: byDatabase(integer().notNull().default(0)),
    },
    { notAheadField: "joined_at" },
  );
}

const [ofCustomer, ofReferrer] = [sql`line.customer_key`, sql`line.referrer_key`];

/** A customer who has joined a store. */
const record = membershipOf(
  { fields: {}, key: currentMember(ofCustomer) },
  { fields: {}, key: currentMember(ofReferrer) },
);
const restored = membershipOf(
  { fields: { life: Life }, key: memberIn(ofCustomer, sql`line.life`) },
  { fields: { referrer_life: Life }, key: memberIn(ofReferrer, sql`line.referrer_life`) },
);
export const memberships = record.table;

/** Derived: the links between a member and the members up to five levels below. */
export const teamLinks = sqliteTable(
  "team_links",
  {
    store_key: integer().notNull(),
    ancestor_key: integer().notNull(),
    /** 1: the descendant is a member now, 0: has left. */
    joined: integer().notNull(),
    depth: integer().notNull(),
    /** The name and the id of the descendant, for the order. */
    name: text().notNull(),
    descendant_id: text().notNull(),
    descendant_key: integer().notNull(),
  },
  (row) => [
    primaryKey({
      columns: [
        row.store_key,
        row.ancestor_key,
        row.joined,
        row.depth,
        row.name,
        row.descendant_id,
        row.descendant_key,
      ],
    }),
  ],
);

/**
 * A trigger links a membership that is written to its referrer in `team_links`, if the referrer is a member by then. So a
 * missing link is the fault. The lookup names all columns of the primary key, also the member's name and id. A member who is
 * their own referrer gets a link, so the first condition excludes them.
 */
const hasNoReferrer = (memberKey: SQL) => sql`referrer_id = customer_id OR (
  referrer_key IS NOT NULL AND store_key IS NOT NULL AND EXISTS (
    SELECT 1 FROM ${memberships} CROSS JOIN ${customers} ON ${customers.key} = line.customer_key
    WHERE ${memberships.store_key} = line.store_key AND ${memberships.member_key} = ${memberKey} AND NOT EXISTS (
      SELECT 1 FROM ${teamLinks}
      WHERE ${teamLinks.store_key} = line.store_key AND ${teamLinks.ancestor_key} = ${memberships.referrer_member_key}
        AND ${teamLinks.joined} IN (0, 1) AND ${teamLinks.depth} = 1
        AND ${teamLinks.name} = iif(${memberships.member_key} = ${customers.member_key}, ${customers.name}, '')
        AND ${teamLinks.descendant_id} = ${customers.id} AND ${teamLinks.descendant_key} = ${memberships.member_key}
    )
  )
)`;

const REFERRER_RULE = {
  field: "referrer_id",
  text: "must be a member of the store, stored or on an earlier line",
  unlessChanged: "referrer_id",
} as const;

export const membership = {
  ...record,
  check: [{ ...REFERRER_RULE, when: hasNoReferrer(currentMember(ofCustomer)) }],
  write: { order: referrersFirst },
  read: {
    fields: {
      customer_id: { sql: customerIdOf(memberships.customer_key) },
      life: lifeIn(lifeOf(memberships.member_key)),
      referrer_id: { sql: customerIdOf(memberships.referrer_key) },
      referrer_life: lifeIn(lifeOf(memberships.referrer_member_key)),
    },
    // A member comes after the referrer. docs/decisions.md says why most programs need only two rounds.
    scans: [
      { when: sql`${memberships.export_round} = 0` },
      { order: ["export_round", "store_key", "member_key"], when: sql`${memberships.export_round} > 0` },
    ],
  },
  restored: {
    ...restoredPart(restored),
    lineFields: [...restored.lineFields, "referrer_life"],
    check: [{ ...REFERRER_RULE, when: hasNoReferrer(memberIn(ofCustomer, sql`line.life`)) }],
  },
} satisfies Kind;

/** The customer of a line is no member of its store. A former member has a row too, so a late line is not refused. */
export const notAMember = (memberKey: SQL) => ({
  field: "customer_id",
  text: "must be a member of the store",
  when: sql`line.store_key IS NOT NULL AND line.customer_key IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM ${memberships}
    WHERE ${memberships.store_key} = line.store_key AND ${memberships.member_key} = ${memberKey}
  )`,
});

/**
 * Puts each member after the referrer, if the referrer's first line is before the member's line. A referrer on a later line
 * is not moved, so the rule above refuses the member. So it also refuses at least one member of a circle of referrers.
 */
function referrersFirst<L extends WrittenLine>(lines: readonly L[]): L[] {
  const nameOf = (...parts: readonly unknown[]) => JSON.stringify(parts);
  const byKey = new Map(
    lines.map((line) => [nameOf(line.values.store_id, line.values.customer_id, line.values.life), line]),
  );
  const arranged = new Set<L>();
  for (const line of lines) {
    const chain = new Set<L>();
    for (let member: L | undefined = line; member !== undefined; ) {
      chain.add(member);
      const { store_id, referrer_id, referrer_life }: Fields = member.values;
      const referrer = byKey.get(nameOf(store_id, referrer_id, referrer_life));
      const goesFirst: boolean = referrer !== undefined && referrer.order < member.number;
      member = goesFirst && referrer && !arranged.has(referrer) && !chain.has(referrer) ? referrer : undefined;
    }
    for (const member of [...chain].reverse()) arranged.add(member);
  }
  return [...arranged];
}
