import { describe, it } from "vitest";
import documented from "../docs/dependencies.md?raw";
import packageJson from "../package.json" with { type: "json" };

describe("docs/dependencies.md", () => {
  it("gives a reason for every dependency, and for no other", ({ expect }) => {
    const named = [...documented.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);

    const { dependencies, devDependencies } = packageJson;
    expect(named.sort()).toEqual(Object.keys({ ...dependencies, ...devDependencies }).sort());
  });

  it("is about exact versions only", ({ expect }) => {
    for (const version of Object.values({ ...packageJson.dependencies, ...packageJson.devDependencies }))
      expect(version).toMatch(/^(npm:.+@)?\d+\.\d+\.\d+(-[\w.]+)?$/);
  });
});
