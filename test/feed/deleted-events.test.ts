import { describe, it } from "vitest";
import { feed } from "../support/api.ts";

describe("an event that cannot be deleted", () => {
  it.for([
    ["balance_entry", ": feed one with the opposite amount"],
    ["token_earning", ": feed one with the opposite tokens"],
    ["play", ": feed one with negative counts and runs"],
    ["redemption", ": feed one that reverses it"],
  ])("is told what corrects it, and nothing else: %s", async ([record, remedy], { expect }) => {
    const { body } = await feed([{ record, id: "e1", deleted: true }]);

    expect(body.messages).toEqual({ "line 1.deleted": [`an event cannot be deleted${remedy}`] });
  });
});
