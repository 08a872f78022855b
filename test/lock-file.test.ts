import { describe, it } from "vitest";
import lock from "../package-lock.json" with { type: "json" };

interface LockedPackage {
  version?: string;
  optionalDependencies?: Record<string, string>;
}

const packages: Readonly<Record<string, LockedPackage>> = lock.packages;

/** Whether npm would find the package from a folder: in its node_modules, or in those of a folder above. */
function isLocked(name: string, from: string): boolean {
  const folders = from
    .split("/node_modules/")
    .map((_, index, parts) => parts.slice(0, index + 1).join("/node_modules/"));
  return ["", ...folders].some((folder) => `${folder === "" ? "" : `${folder}/`}node_modules/${name}` in packages);
}

describe("package-lock.json", () => {
  it("holds the binaries of every system, without which npm ci fails on the others", ({ expect }) => {
    const optionalPackages = Object.entries(packages).flatMap(([from, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).map((name) => ({ from, name })),
    );

    expect(optionalPackages.filter(({ name, from }) => !isLocked(name, from))).toEqual([]);
    expect(optionalPackages.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        "@biomejs/cli-darwin-arm64",
        "@cloudflare/workerd-darwin-arm64",
        "@cloudflare/workerd-windows-64",
        "@esbuild/darwin-arm64",
      ]),
    );
  });
});
