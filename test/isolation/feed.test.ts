import { describe, it } from "vitest";
import { KINDS } from "../../src/feed/records/index.ts";
import { isGlobal, type Kind } from "../../src/feed/records/kind.ts";
import { feed, mustFeed } from "../support/api.ts";
import { type Program, program } from "../support/programs.ts";
import * as seed from "../support/seed.ts";
import { snapshot } from "../support/state.ts";

// Fields that look like references and name no record of an account: plain texts, and what belongs to no account.
const OF_NO_ACCOUNT = new Set([
  ...["parent_id", "source_campaign_id", "coupon_id", "scan_id", "loyalty_options"],
  ...["core_tenant_id", "core_app_account_id", "account_package_id", "country_id", "state_id", "city_id"],
  ...["customer_id", "friend_id", "blocked_id", "referrer_id", "initial_customer_id", "member_ids", "group_id"],
]);

/** The fields of a kind through which a line could reach another account's record. */
function reachingFields({ fields }: Kind): string[] {
  return Object.keys(fields.shape).filter((field) => /_ids?$/.test(field) && !OF_NO_ACCOUNT.has(field));
}

/** Every way in which a line of the kind, mine in all else, can touch what is theirs. */
function foreignLines(kind: Kind, mine: Program, theirs: Program): Record<string, Record<string, unknown>> {
  const own: Record<string, unknown> = { ...mine.one[kind.record] };
  const foreign: Record<string, unknown> = { ...theirs.one[kind.record] };
  const key = Object.fromEntries(kind.keyFields.map((field) => [field, foreign[field]]));
  const fresh = "id" in own ? { ...own, id: seed.freshId("fresh") } : own;
  const reaching = reachingFields(kind).map((field) => [field, { ...fresh, [field]: foreign[field] }]);
  return {
    ...Object.fromEntries(reaching),
    "its key": { ...own, ...key },
    ...(kind.type === "state" && { "its deletion": { record: kind.record, ...key, deleted: true } }),
  };
}

const mine = program("mine");
const theirs = program("theirs");
const token = [String(mine.account.id)];

describe("a feed token for one account", () => {
  it("is tried against every kind of record, and every field that names one", ({ expect }) => {
    expect(Object.keys(theirs.one).sort()).toEqual(KINDS.map(({ record }) => record).sort());
    for (const kind of KINDS) {
      const unset = reachingFields(kind).filter((field) => theirs.one[kind.record]?.[field] === undefined);
      expect({ kind: kind.record, unset }).toEqual({ kind: kind.record, unset: [] });
    }
  });

  it("writes and writes again what is its own", async ({ expect }) => {
    await mustFeed([...mine.lines, ...theirs.lines]);
    const own = KINDS.filter((kind) => !isGlobal(kind)).map(({ record }) => mine.one[record] ?? {});

    expect((await feed(own, token)).status).toBe(200);
  });

  const cases = KINDS.flatMap((kind) => {
    if (!isGlobal(kind))
      return Object.entries(foreignLines(kind, mine, theirs)).map(([how, line]) => ({ kind, how, line }));
    const own = mine.one[kind.record] ?? {};
    return [
      { kind, how: "a line of it, as it belongs to no account", line: own },
      ...(kind.type === "state"
        ? [{ kind, how: "its deletion, as it belongs to no account", line: { ...own, deleted: true } }]
        : []),
    ];
  });

  it.for(cases)(
    "is refused, and its own lines with it, for another's $kind.record through $how",
    async ({ line }, { expect }) => {
      await mustFeed([...mine.lines, ...theirs.lines]);
      const before = await snapshot();

      const answer = await feed([{ ...mine.store, name: "Renamed" }, line], token);

      expect(answer.status).toBe(403);
      expect(answer.body).toEqual({
        status: false,
        errorCode: "FORBIDDEN",
        message: "Line 2 touches an account that the token does not cover.",
      });
      expect(await snapshot()).toBe(before);
      // With a token for all accounts it is no question of accounts any more.
      expect([200, 422]).toContain((await feed([line])).status);
    },
  );
});
