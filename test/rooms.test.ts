import { describe, it } from "vitest";

const SOURCES: Record<string, string> = import.meta.glob("../src/**/*.ts", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** The rooms of `src/`, each above those that it may import. */
const ROOMS = [
  "values",
  "db",
  "auth",
  "http",
  "inbox",
  "app-env.ts",
  "openapi",
  "middleware",
  "customer",
  "feed",
  "history",
  "service",
  "app.ts",
  "reference.ts",
  "client",
  "index.ts",
  "staging.ts",
];

/** Imports by the file that has them, types too. */
const imports = Object.entries(SOURCES).flatMap(([path, source]) =>
  [...source.matchAll(/ from "(\.[^"]+)"/g)].map(([, target]) => {
    const { pathname } = new URL(target ?? "", new URL(path.replace("../", ""), "file:///"));
    return { from: path.replace("../src/", ""), to: pathname.replace("/src/", "") };
  }),
);
const floorOf = (path: string) => ROOMS.indexOf(path.split("/")[0] ?? "");

describe("the rooms of src/", () => {
  it("are all in the order above", ({ expect }) => {
    const rooms = new Set(Object.keys(SOURCES).map((path) => path.split("/")[2]));

    expect([...rooms].sort()).toEqual(ROOMS.toSorted());
  });

  it("import only from rooms below", ({ expect }) => {
    const upwards = imports.filter(({ from, to }) => floorOf(to) > floorOf(from));

    expect(imports.length).toBeGreaterThan(500);
    expect(upwards).toEqual([]);
  });
});
