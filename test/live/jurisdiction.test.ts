import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { inJurisdiction } from "../../src/inbox/inboxes.ts";

// The local runtime has no jurisdictions, so this checks only which namespace is used.
const jurisdiction = vi.fn((name: string) => `inboxes in ${name}`);
const namespaceOf = (more: object) => {
  const namespace = { jurisdiction } as unknown as typeof env.INBOXES;
  return inJurisdiction({ ...env, ...more }, namespace);
};

afterEach(() => jurisdiction.mockClear());

describe("the inboxes", () => {
  it.for(["eu", "us", "fedramp"])("are in the jurisdiction %s", (name, { expect }) => {
    expect(namespaceOf({ JURISDICTION: name })).toBe(`inboxes in ${name}`);
  });

  it.for([{ JURISDICTION: "" }, { JURISDICTION: undefined }])(
    "are near their customers with %o",
    (variables, { expect }) => {
      expect(namespaceOf(variables)).toEqual({ jurisdiction });
      expect(jurisdiction).not.toHaveBeenCalled();
    },
  );

  it("throw for a jurisdiction that does not exist", ({ expect }) => {
    expect(() => namespaceOf({ JURISDICTION: "europe" })).toThrow("There is no jurisdiction europe.");
  });
});
