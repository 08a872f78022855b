import type { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { inboxName, inJurisdiction } from "../../src/inbox/inboxes.ts";
import { mustFeed } from "../support/api.ts";
import { framesOf, listenAs } from "../support/live.ts";
import * as seed from "../support/seed.ts";

/** Ids that look alike. A step between feed and socket that decodes, trims or normalises ids would confuse them. */
const ODD_IDS = [
  ...["odd/id", "odd%2Fid", "odd%252Fid", "../odd/id"],
  ...["odd id", "odd+id", "odd%20id", "odd  id", "odd\nid", "Odd id"],
  ...["odd?id#x", 'odd"id', "odd\\id", "odd,id"],
  ...["odd-é", "odd-e\u0301", "😀", "👩‍👩‍👧", "中文"],
  ...["__proto__", "constructor", "null", "0", "x".repeat(64)],
];

describe("the inbox of a customer", () => {
  it("gets the changes of an odd id, and no others, even if it listened before the customer was fed", async ({
    expect,
  }) => {
    const account = seed.account();
    const store = seed.store(account.id);
    const listeners = await Promise.all(ODD_IDS.map(async (id) => ({ id, socket: await listenAs(id) })));
    await mustFeed([account, store, ...ODD_IDS.map((id) => seed.customer({ id }))]);

    const fedIds = ODD_IDS.filter((_, index) => index % 2 === 0);
    await mustFeed(fedIds.map((id) => seed.entry(id, store.id, "1.00")));

    const frames = await Promise.all(listeners.map(({ id, socket }) => framesOf(socket, id)));
    expect(frames).toEqual(ODD_IDS.map((id) => (fedIds.includes(id) ? [["balance"]] : [])));
  });

  it("has a name that hides the id, and differs in each environment", async ({ expect }) => {
    const name = await inboxName("production", "ada");

    expect(name).toBe("99289b55b3c6d8852cac76808c22689f533c56800851c1ee04ed85aa48b1e28b");
    expect(await inboxName("staging", "ada")).not.toBe(name);
  });

  // The local runtime has no jurisdictions, so this checks only which namespace is used.
  it("is in the jurisdiction of the deployment, if it has one", ({ expect }) => {
    const jurisdictions = { jurisdiction: (name: string) => `inboxes in ${name}` } as unknown as typeof env.INBOXES;
    const namespaceIn = (JURISDICTION: string) => inJurisdiction({ JURISDICTION } as typeof env, jurisdictions);

    expect(["eu", "us", "fedramp"].map(namespaceIn)).toEqual(["inboxes in eu", "inboxes in us", "inboxes in fedramp"]);
    expect(namespaceIn("")).toBe(jurisdictions);
    expect(() => namespaceIn("europe")).toThrow("There is no jurisdiction europe.");
  });
});
