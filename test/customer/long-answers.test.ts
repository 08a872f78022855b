import { describe, it } from "vitest";
import { BOARD_LIMIT } from "../../src/customer/gamification/schema.ts";
import { BALANCES_LIMIT } from "../../src/customer/me/schema.ts";
import { ANSWER_BYTES } from "../../src/http/limits.ts";
import { ID_LIMIT, NAME_LIMIT, SHORT_TEXT_LIMIT } from "../../src/values/text.ts";

/** A text of control characters, which take six bytes each as JSON. */
const longText = (length: number) => "\u0001".repeat(length);
const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;

// scripts/conform/sections/long-answers.ts checks the lists that can be too long.
describe("a long answer", () => {
  it("cannot be too long, by the limits of its fields: leaderboards, and the balances of an answer", ({ expect }) => {
    const [id, name, longField] = [longText(ID_LIMIT), longText(NAME_LIMIT), longText(SHORT_TEXT_LIMIT)];
    const number = -Number.MAX_SAFE_INTEGER;
    const employee = {
      employee_id: id,
      employee_name: name,
      avatar: longField,
      rank: 100,
      total_runs: "-90071992547409.91",
      total_hits: number,
      total_doubles: number,
      total_triples: number,
    };
    const balance = { account_id: "9".repeat(15), company: name, balance: number, stores_count: number };
    const customer = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`field_number_${index}`, longField]));

    expect(BOARD_LIMIT * (bytesOf(employee) + 1)).toBeLessThan(ANSWER_BYTES);
    expect(BALANCES_LIMIT * (bytesOf(balance) + 1) + bytesOf(customer)).toBeLessThan(ANSWER_BYTES);
  });
});
