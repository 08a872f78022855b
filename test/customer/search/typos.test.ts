import { describe, it } from "vitest";
import { as, mustFeed, trips } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";

const ask = (query: string, body: Record<string, unknown> = {}) =>
  as("c").post("/api/v1/customer/full-search", { query, filter: "customers", ...body });

/** A word that no other test has. It has a digit, so no typo is forgiven in it. */
const freshWord = () => seed.freshId("word");

describe("a search with a typo", () => {
  it.for([
    ["garcia", 1, {}, "it finds what is asked for"],
    ["garica", 3, {}, "a typo is forgiven"],
    ["garica", 1, { typos: false }, "no typo is to be forgiven"],
    ["gari", 1, {}, "no word is long enough to be forgiven"],
    ["qxzkwv", 2, {}, "no word is near"],
  ] as const)("for %s takes %i round trips: %j, because %s", async ([word, roundTrips, body], { expect }) => {
    const lastName = freshWord();
    await mustFeed([seed.customer({ first_name: "Garcia", last_name: lastName })]);

    expect(trips(await ask(`${word} ${lastName}`, body))).toBe(roundTrips);
  });

  it("forgives a typo in each of as many words as fit into a query", async ({ expect }) => {
    const word = freshWord();
    const names = "garcia martin tomson walker robins alvare benson carter dawson".split(" ");
    const customer = seed.customer({ first_name: names.join(" "), last_name: word });
    await mustFeed([customer]);
    const namesWithTypos = names.map((name) => name.replace(/^(.)(.)(.)/, "$1$3$2"));

    const { body } = await ask(`${namesWithTypos.join(" ")} ${word}`);

    expect(body).toMatchObject({ customers: [{ id: customer.id }], forgiven: namesWithTypos });
  });
});
