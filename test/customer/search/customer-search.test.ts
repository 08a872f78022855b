import { describe, it } from "vitest";
import { customerSearchOf } from "../../../src/customer/search/schema.ts";

describe("CUSTOMER_SEARCH", () => {
  it.for([
    ["", "all"],
    [undefined, "all"],
    ["friends", "friends"],
    ["Friends", "none"],
    ["off", "none"],
  ] as const)("as %j lets a search find %s", ([value, found], { expect }) => {
    expect(customerSearchOf({ ...(value !== undefined && { CUSTOMER_SEARCH: value }) })).toBe(found);
  });
});
