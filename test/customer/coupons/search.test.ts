import { describe, it } from "vitest";
import { mustFeed } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";
import { issue, listed, myCoupons, program } from "./support.ts";

describe("a coupon list's search", () => {
  it.for([
    ["the middle of the name", "EE c", { name: "Free coffee" }],
    ["a header line", "member", { header_lines: ["First", "For Members"] }],
    ["a text line", "visit", { text_lines: ["Not valid", "One per visit"] }],
    ["an accent in the text", "jose", { name: "Taquería José" }],
    ["an accent in the needle", "CAFÉ", { name: "Free cafe" }],
    ["an accent that is written apart", "café", { name: "Free cafe\u0301 today" }],
    ["a letter that has no decomposition", "łódź", { name: "ŁÓDŹ" }],
    ["a final sigma by a capital", "ΔΩΡΟ ΚΑΦΕΣ", { name: "Δώρο καφές" }],
    ["a capital sigma in the middle of a word by a final one", "καφες", { name: "ΚΑΦΕΣΑΚΙ" }],
    ["a per cent sign as text", "50%", { name: "Take 50% off" }],
    ["an underscore as text", "a_b", { name: "a_b" }],
    ["a backslash as text", "\\", { name: "either\\or" }],
    ["an apostrophe as text", "'; DROP", { name: "Rock'; DROP TABLE coupons" }],
    ["quotes as text", '"big"', { name: 'A "big" one' }],
    ["a comma as text", "a,b", { name: "a,b" }],
    ["a needle of one character", "✓", { name: "Fresh ✓" }],
    ["a needle of 51 bytes", "x".repeat(51), { name: `-${"x".repeat(51)}-` }],
    ["a needle of 100 characters of four bytes", "🍩".repeat(100), { name: `${"🍩".repeat(101)}` }],
    ["blanks as they are", " off", { name: "Half off" }],
  ] as const)("finds %s", async ([, search, fields], { expect }) => {
    const holds = await program({ company: "Blue Cup" });
    const digital = seed.coupon(holds.account.id, { kind: "digital", name: "-", ...fields });
    const [id] = await issue(holds, { coupon: { name: "-", ...fields } }, { coupon: { name: "another" } });
    await mustFeed([digital]);

    expect(await listed(holds.customer.id, { search })).toEqual([id]);
    expect(await myCoupons(holds.customer.id, { search })).toEqual({ store: [id], mfg: [], digital: [digital.id] });
  });

  it.for([
    ["wildcards of LIKE", "f%e", { name: "Free coffee" }],
    ["one character for another", "fr_e", { name: "Free coffee" }],
    ["what only two texts together hold", "coffee member", { name: "Free coffee", header_lines: ["Member offer"] }],
    ["what only two lines together hold", "ab", { header_lines: ["a", "b"], text_lines: ["b", "a"] }],
    ["an escape of the JSON in which lines are stored", "\\n", { header_lines: ["a\nb"] }],
    ["letters that only look alike", "lodz", { name: "ŁÓDŹ" }],
    ["what another field holds", "free_item", { type: "Free_Item" }],
  ] as const)("does not find %s", async ([, search, fields], { expect }) => {
    const holds = await program({ company: "Blue Cup" });
    await issue(holds, { coupon: { name: "-", ...fields } });

    expect(await listed(holds.customer.id, { search })).toEqual([]);
  });

  it("finds the chain's name, the company's or the one that it shows, as it is now", async ({ expect }) => {
    const holds = await program({
      company: "Peña Holding",
      loyalty_options: { chain_display_name: "Blue Cup Rewards" },
    });
    const ids = await issue(holds, {});
    const find = (search: string) => listed(holds.customer.id, { search });

    expect(await find("PENA")).toEqual(ids);
    expect(await find("cup rew")).toEqual(ids);
    expect(await find("holding blue")).toEqual([]);

    await mustFeed([{ ...holds.account, company: "Renamed", loyalty_options: null }]);

    expect(await find("pena")).toEqual([]);
    expect(await find("cup rew")).toEqual([]);
    expect(await find("renamed")).toEqual(ids);
  });
});
