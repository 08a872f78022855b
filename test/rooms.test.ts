import { describe, it } from "vitest";

const SOURCES: Record<string, string> = import.meta.glob(["../src/**/*.ts", "../client/src/*.ts"], {
  query: "?raw",
  import: "default",
  eager: true,
});

/** The folders of `src/`. Each imports only from those before it. */
const FOLDERS = [
  "values",
  "db",
  "records",
  "http",
  "auth",
  "inbox",
  "app-env.ts",
  "openapi",
  "middleware",
  "customer",
  "feed",
  "retention",
  "service",
  "app.ts",
  "reference.ts",
  "index.ts",
  "staging.ts",
];

/** The imports of each file, those of types included. */
const allImports = Object.entries(SOURCES).flatMap(([path, source]) =>
  [...source.matchAll(/ from "(\.[^"]+)"/g)].map(([, target]) => {
    const { pathname } = new URL(target ?? "", new URL(path.replace("../", ""), "file:///"));
    return { from: path.replace(/^\.\.\/(src\/)?/, ""), to: pathname.replace(/^\/(src\/)?/, "") };
  }),
);
const isOfClient = (path: string) => path.startsWith("client/");
const imports = allImports.filter(({ from }) => !isOfClient(from));
const positionOf = (path: string) => FOLDERS.indexOf(path.split("/")[0] ?? "");

describe("the folders of src/", () => {
  it("are all in the order above", ({ expect }) => {
    const paths = Object.keys(SOURCES).filter((path) => path.startsWith("../src/"));
    const folders = new Set(paths.map((path) => path.split("/")[2]));

    expect([...folders].sort()).toEqual(FOLDERS.toSorted());
  });

  it("import only from folders before them", ({ expect }) => {
    const forbidden = imports.filter(({ from, to }) => positionOf(to) > positionOf(from));

    expect(imports.length).toBeGreaterThan(500);
    expect(forbidden).toEqual([]);
  });
});

describe("the client", () => {
  it("is imported by no file of the service, and imports only the shapes of answers and the order of texts", ({
    expect,
  }) => {
    const importedByService = imports.filter(({ to }) => isOfClient(to));
    const ofService = allImports.filter(({ from, to }) => isOfClient(from) && !isOfClient(to));

    expect(importedByService).toEqual([]);
    expect(ofService.filter(({ from }) => from !== "client/src/shapes.ts")).toEqual([
      { from: "client/src/poll.ts", to: "values/code-points.ts" },
    ]);
  });
});
