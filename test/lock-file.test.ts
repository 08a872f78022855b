import { describe, it } from "vitest";
import lock from "../package-lock.json" with { type: "json" };

// npm sometimes writes a lock file with the binaries of its own system only. Then `npm ci` fails on every other system.
const BINARIES = [
  "@biomejs/cli-darwin-arm64",
  "@cloudflare/workerd-darwin-arm64",
  "@cloudflare/workerd-windows-64",
  "@esbuild/darwin-arm64",
];

describe("package-lock.json", () => {
  it.for(BINARIES)("holds the binaries of other systems: %s", (name, { expect }) => {
    expect(Object.keys(lock.packages)).toContain(`node_modules/${name}`);
  });

  it("holds one workerd, for tests, the local service and the benchmark", ({ expect }) => {
    const copies = Object.keys(lock.packages).filter((name) => /\bnode_modules\/workerd$/.test(name));

    expect(copies).toEqual(["node_modules/workerd"]);
  });
});
