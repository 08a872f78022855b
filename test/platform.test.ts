import { describe, it } from "vitest";
import wrangler from "../wrangler.toml?raw";

describe("wrangler.toml", () => {
  it("does not set the flag with which sessions of D1 hang once there are replicas", ({ expect }) => {
    // https://github.com/emdash-cms/emdash/issues/1715
    const flags = [...wrangler.matchAll(/^compatibility_flags = (\[.*\])$/gm)].flatMap(([, list = ""]) =>
      JSON.parse(list),
    );

    expect(flags).toContain("nodejs_compat");
    expect(flags).not.toContain("global_fetch_strictly_public");
    expect(wrangler).not.toContain("global_fetch_strictly_public");
  });
});
