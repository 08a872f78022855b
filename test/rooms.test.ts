import { describe, it } from "vitest";

const SOURCES: Record<string, string> = import.meta.glob(
  ["../src/**/*.ts", "../client/**/*.ts", "../scripts/**/*.ts", "./**/*.ts", "!../client/types/**"],
  { query: "?raw", import: "default", eager: true },
);

/** The folders of `src/`. Each imports only from those before it. */
const FOLDERS = [
  "values",
  "db",
  "records",
  "http",
  "auth",
  "inbox",
  "app-env.ts",
  "middleware",
  "openapi",
  "customer",
  "feed",
  "till",
  "retention",
  "service",
  "app.ts",
  "reference.ts",
  "index.ts",
];

const pathFrom = (base: string, path: string) => new URL(path, `file:///${base}`).pathname.slice(1);

/** The imports of each file, those of types included. */
const allImports = Object.entries(SOURCES).flatMap(([path, source]) => {
  const from = pathFrom("test/", path);
  return [...source.matchAll(/ from "(\.[^"]+)"/g)].map(([, target = ""]) => ({ from, to: pathFrom(from, target) }));
});
const isOfClient = (path: string) => path.startsWith("client/src/");
const isOfService = (path: string) => path.startsWith("src/");
const imports = allImports.filter(({ from }) => isOfService(from));
const positionOf = (path: string) => FOLDERS.indexOf(path.split("/")[1] ?? "");

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

describe("the documentation of endpoints", () => {
  it("is imported by documentation only, so that no route or query depends on it", ({ expect }) => {
    const isDocumentation = (path: string) => /^src\/(openapi\/|reference\.ts$)|\/operations\.ts$/.test(path);

    const importsOfOthers = imports.filter(({ from, to }) => isDocumentation(to) && !isDocumentation(from));

    expect(imports.filter(({ to }) => isDocumentation(to)).length).toBeGreaterThan(20);
    expect(importsOfOthers).toEqual([]);
  });
});

describe("the files of src/, client/, scripts/ and test/", () => {
  it("do not import each other in a ring", ({ expect }) => {
    const targetsOf = new Map(
      [...Map.groupBy(allImports, ({ from }) => from)].map(([from, ofFile]) => [from, ofFile.map(({ to }) => to)]),
    );
    function addReached(file: string, reached: Set<string>): Set<string> {
      const newFiles = targetsOf.get(file)?.filter((target) => !reached.has(target)) ?? [];
      for (const target of newFiles) addReached(target, reached.add(target));
      return reached;
    }

    const inRings = [...targetsOf.keys()].filter((file) => addReached(file, new Set()).has(file));

    expect(targetsOf.size).toBeGreaterThan(400);
    expect(inRings).toEqual([]);
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
      { from: "client/src/poll.ts", to: "src/values/code-points.ts" },
    ]);
  });
});
