import { describe, it } from "vitest";
import { as, mustFeed } from "../support/api.ts";
import * as seed from "../support/seed.ts";

// A person may have only one name.

describe("the name of a person without a first or a last name", () => {
  const caller = seed.customer();
  const [account, first, middle, last] = [
    seed.account(),
    seed.customer({ first_name: "Ann", last_name: "" }),
    seed.customer({ first_name: "", last_name: "Bob" }),
    seed.customer({ first_name: "Cher", last_name: "" }),
  ];

  it("has no blank at its ends, and teams are sorted by it", async ({ expect }) => {
    const store = seed.store(account.id);
    const members = [last, middle, first].map(({ id }) =>
      seed.membership(store.id, id, { referrer_id: String(caller.id) }),
    );
    await mustFeed([account, store, caller, first, middle, last, seed.membership(store.id, caller.id), ...members]);

    const { body } = await as(String(caller.id)).get(`/api/v1/customer/stores/${store.id}/team-with-level`);

    expect(body.items.map(({ name }: { name: string }) => name)).toEqual(["Ann", "Bob", "Cher"]);
  });

  it("has no blank in the name of a group", async ({ expect }) => {
    const group = seed.group([caller.id, first.id, middle.id, last.id]);
    await mustFeed([caller, first, middle, last, group]);
    await mustFeed([seed.message(group.id, caller.id, { sent_at: "2026-01-05 09:00:00" })]);

    const { body } = await as(String(caller.id)).get("/api/v1/customer/messages");

    expect(body.items[0].group_name).toBe("Ann, Bob, Cher");
  });
});
