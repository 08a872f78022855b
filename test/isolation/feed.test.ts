import { beforeAll, describe, it } from "vitest";
import type { Kind } from "../../src/db/kind.ts";
import { KINDS } from "../../src/records/index.ts";
import { feed, mustFeed } from "../support/api.ts";
import { type Program, program } from "../support/programs.ts";
import * as seed from "../support/seed.ts";
import { snapshot } from "../support/state.ts";

// Fields that look like references, but name no record of an account.
const FIELDS_WITHOUT_ACCOUNT = new Set([
  ...["parent_id", "source_campaign_id", "coupon_id", "scan_id", "loyalty_options"],
  ...["core_tenant_id", "core_app_account_id", "account_package_id", "country_id", "state_id", "city_id"],
  ...["customer_id", "friend_id", "blocked_id", "referrer_id", "initial_customer_id", "member_ids", "group_id"],
]);

/** The fields of a kind through which a line could reach another account's record. */
function reachingFields({ fields }: Kind): string[] {
  return Object.keys(fields.shape).filter((field) => /_ids?$/.test(field) && !FIELDS_WITHOUT_ACCOUNT.has(field));
}

/** Lines of my records of a kind. In each, one field or the key names a record of theirs. */
function foreignLines(kind: Kind, mine: Program, theirs: Program): Record<string, Record<string, unknown>> {
  const myLine: Record<string, unknown> = { ...mine.recordOf[kind.record] };
  const theirLine: Record<string, unknown> = { ...theirs.recordOf[kind.record] };
  const key = Object.fromEntries(kind.keyFields.map((field) => [field, theirLine[field]]));
  const newLine = "id" in myLine ? { ...myLine, id: seed.freshId("fresh") } : myLine;
  const linesByField = reachingFields(kind).map((field) => [field, { ...newLine, [field]: theirLine[field] }]);
  return {
    ...Object.fromEntries(linesByField),
    // The ids of events are shared by all accounts.
    ...(kind.type === "state" && {
      "its key": { ...myLine, ...key },
      "its deletion": { record: kind.record, ...key, deleted: true },
    }),
  };
}

const mine = program("mine");
const theirs = program("theirs");
const token = [String(mine.account.id)];

const cases = KINDS.flatMap((kind) => {
  const { record, type } = kind;
  const myLine = mine.recordOf[record] ?? {};
  const lines =
    kind.owner === undefined
      ? {
          "a line, because the kind belongs to no account": myLine,
          ...(type === "state" && {
            "its deletion, because the kind belongs to no account": { ...myLine, deleted: true },
          }),
        }
      : foreignLines(kind, mine, theirs);
  return Object.entries(lines).map(([how, line]) => ({ record, how, line }));
});

const NO_ACCOUNT = new Set(KINDS.filter(({ owner }) => owner === undefined).map(({ record }) => record));

let stateBefore = "";
beforeAll(async () => {
  await mustFeed([...mine.lines, ...theirs.lines]);
  stateBefore = await snapshot();
});

describe("a feed token for one account", () => {
  it("is tried against every kind of record, and every field that names one", ({ expect }) => {
    expect(Object.keys(theirs.recordOf).sort()).toEqual(KINDS.map(({ record }) => record).sort());
    for (const kind of KINDS) {
      const unsetFields = reachingFields(kind).filter((field) => theirs.recordOf[kind.record]?.[field] === undefined);
      expect({ kind: kind.record, unsetFields }).toEqual({ kind: kind.record, unsetFields: [] });
    }
  });

  it.for(cases)("may not touch another account's $record through $how", async ({ record, line }, { expect }) => {
    const answer = await feed([{ ...mine.store, name: "Renamed" }, line], token);

    expect(answer.status).toBe(403);
    expect(answer.body).toEqual({
      status: false,
      errorCode: "FORBIDDEN",
      message: NO_ACCOUNT.has(record)
        ? `Line 2 (${record}) needs a token with "accounts": "*", because such a record belongs to no account.`
        : "Line 2 touches an account that the token does not cover.",
    });
  });

  it("is told which kinds need a token for all accounts", async ({ expect }) => {
    const of = (record: string) => mine.recordOf[record] ?? {};

    const { body } = await feed([of("message_group"), of("store"), of("customer"), of("customer")], token);

    expect(body.message).toBe(
      'Lines 1, 3, 4 (customer, message_group) need a token with "accounts": "*", because such records belong to no account.',
    );
  });

  it.for(KINDS.filter(({ type, owner }) => type === "event" && owner !== undefined))(
    "is not told whose event has the id of its $record",
    async ({ record }, { expect }) => {
      const { status, body } = await feed([{ ...mine.recordOf[record], id: theirs.recordOf[record]?.id }], token);

      expect(status).toBe(422);
      expect(body.messages).toEqual({ "line 1.id": ["is taken; begin your ids with something of your own"] });
    },
  );

  it("has written nothing with the refused requests", async ({ expect }) => {
    expect(await snapshot()).toBe(stateBefore);
  });

  it("may write the records of its account again", async ({ expect }) => {
    const myLines = KINDS.filter(({ owner }) => owner !== undefined).map(({ record }) => mine.recordOf[record] ?? {});

    expect((await feed(myLines, token)).status).toBe(200);
  });

  it.for(cases)(
    "is what refuses the line, which a token for all accounts may send: $record through $how",
    async ({ line }, { expect }) => {
      expect([200, 422]).toContain((await feed([line])).status);
    },
  );
});
