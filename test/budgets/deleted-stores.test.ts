import { describe, it } from "vitest";
import { mustFeed } from "../support/api.ts";
import { costOf } from "../support/bindings.ts";
import * as seed from "../support/seed.ts";
import { customerToken } from "../support/tokens.ts";

const MEMBERS = 40;
const STORES = 50;

describe("a page of a team whose members have joined many stores", () => {
  it.for(["store", "account"] as const)(
    "costs as much after one %s anywhere was deleted",
    async (record, { expect }) => {
      const [account, otherAccount, caller] = [seed.account(), seed.account(), seed.customer()];
      const team = seed.store(account.id);
      const stores = Array.from({ length: STORES }, () => seed.store(account.id));
      const otherStore = seed.store(otherAccount.id);
      const members = Array.from({ length: MEMBERS }, () => seed.customer());
      await mustFeed([account, otherAccount, caller, team, ...stores, otherStore, ...members]);
      await mustFeed([
        seed.membership(team.id, caller.id),
        ...members.map(({ id }) => seed.membership(team.id, id, { referrer_id: caller.id })),
        ...stores.flatMap((store) => members.map(({ id }) => seed.membership(store.id, id))),
      ]);
      const headers = { Authorization: `Bearer ${await customerToken(String(caller.id))}` };
      const page = () => costOf(`/api/v1/customer/stores/${team.id}/team-with-level`, { headers });

      const before = await page();
      await mustFeed([seed.deleted(record, { id: (record === "store" ? otherStore : otherAccount).id })]);
      const after = await page();

      expect(after.rowsRead).toBeLessThanOrEqual(before.rowsRead + 4 * MEMBERS);
    },
  );
});
