import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import type * as z from "zod";
import project from "../../package.json" with { type: "json" };
import { CommandError, ROOT, runTool } from "./project.ts";

const SOURCE = path.join(ROOT, "src", "client");
const PACKAGE = path.join(ROOT, "dist", "client");
/** Where the declarations are made. It lies in the project, so that its packages are found. */
const WORKSHOP = path.join(ROOT, "dist", "client-types");
const SHAPES = "shapes.d.ts";

interface Shape {
  name: string;
  /** The file of its schema. */
  module: string;
}

/**
 * Builds the typed client as a package of its own, which depends on nothing: one file of JavaScript, and declarations
 * that need no other package, although the types are those that Hono infers from the routes and their Zod schemas.
 */
export async function buildClient(): Promise<string> {
  rmSync(PACKAGE, { recursive: true, force: true });
  mkdirSync(PACKAGE, { recursive: true });
  const [script] = await Promise.all([bundle(), declare()]);
  writeFileSync(path.join(PACKAGE, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`);
  copyFileSync(path.join(SOURCE, "README.md"), path.join(PACKAGE, "README.md"));
  copyFileSync(path.join(ROOT, "LICENSE"), path.join(PACKAGE, "LICENSE"));
  return `${(gzipSync(script).length / 1024).toFixed(1)} KiB gzip`;
}

/** Its name is the project's, so that it is imported as `loyalty-edge/client` here and wherever it is installed. */
function manifest(): object {
  const { name, version, license, engines } = project;
  return {
    name,
    version,
    description: "The typed client of a loyalty-edge service, for browsers, Node and Workers.",
    license,
    type: "module",
    sideEffects: false,
    engines,
    exports: { "./client": { types: "./index.d.ts", default: "./index.js" } },
  };
}

async function bundle(): Promise<Uint8Array> {
  const outfile = path.join(PACKAGE, "index.js");
  await build({
    entryPoints: [path.join(SOURCE, "index.ts")],
    outfile,
    bundle: true,
    format: "esm",
    // Browsers, Node and Workers alike: nothing of any one of them.
    platform: "neutral",
    target: "es2022",
    logLevel: "error",
  });
  return readFileSync(outfile);
}

/**
 * `tsc` prints an inferred type in full, so the declarations of the client name nothing of Hono. What they do name from
 * outside its folder is in `shapes.ts`, whose shapes are printed here in full too, and named wherever they occur.
 */
async function declare(): Promise<void> {
  const shapes = listShapes();
  const { declarations, printed } = await printTypes(shapes);
  const shapesFile: string[] = [];
  for (const shape of shapes) {
    const members = printed.get(shape.name);
    if (members === undefined) throw new CommandError(`tsc has not printed the shape ${shape.name}.`);
    const others = new Map([...printed].filter(([name]) => name !== shape.name));
    const text = await documented(
      replaceShapes(members, others, (name) => name),
      shape,
    );
    shapesFile.push(`export interface ${shape.name} ${text}\n`);
  }
  write(SHAPES, shapesFile.join("\n"));
  for (const [file, text] of declarations)
    write(file, withImports(replaceShapes(text, printed, (name) => `import("./shapes.ts").${name}`)));
}

/** Names shapes wherever they stand in full; one that holds another goes first, because it is longer. */
function replaceShapes(text: string, printed: ReadonlyMap<string, string>, nameOf: (name: string) => string): string {
  const longestFirst = [...printed].sort(([, a], [, b]) => b.length - a.length);
  return longestFirst.reduce((rest, [name, type]) => rest.replaceAll(occurrence(type), nameOf(name)), text);
}

/** What `shapes.ts` hands on. */
function listShapes(): Shape[] {
  const text = readFileSync(path.join(SOURCE, "shapes.ts"), "utf8");
  return [...text.matchAll(/^export type \{([^}]*)\} from "(.*)";$/gm)].flatMap(([, names = "", module = ""]) =>
    [...names.matchAll(/\w+/g)].map(([name]) => ({ name, module: path.resolve(SOURCE, module) })),
  );
}

/** The client's declarations but those of the shapes, by file, and a declaration of each shape in full. */
async function printTypes(
  shapes: readonly Shape[],
): Promise<{ declarations: [string, string][]; printed: Map<string, string> }> {
  rmSync(WORKSHOP, { recursive: true, force: true });
  mkdirSync(WORKSHOP, { recursive: true });
  const probe = `import type * as shapes from "../../src/client/index.ts";
    type Plain<T> = [T] extends [infer O] ? { [K in keyof O]: Plain<O[K]> } : never;
    declare function plain<T>(): Plain<T>;
    ${shapes.map(({ name }) => `export const ${name} = plain<shapes.${name}>();`).join("\n")}`;
  const options = {
    extends: "../../tsconfig.json",
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: ROOT,
      outDir: "types",
      types: [path.join(ROOT, "worker-configuration.d.ts")],
    },
    include: ["probe.ts"],
  };
  writeFileSync(path.join(WORKSHOP, "probe.ts"), probe);
  writeFileSync(path.join(WORKSHOP, "tsconfig.json"), JSON.stringify(options));
  try {
    const { status, output } = await runTool("tsc", ["-p", WORKSHOP], { capture: true });
    if (status !== 0) throw new CommandError(`The client's types could not be made.\n${output}`);
    const types = path.join(WORKSHOP, "types");
    const client = path.join(types, "src", "client");
    const files = readdirSync(client).filter((file) => file !== SHAPES);
    const shown = readFileSync(path.join(types, "dist", path.basename(WORKSHOP), "probe.d.ts"), "utf8");
    return {
      declarations: files.map((file) => [file, readFileSync(path.join(client, file), "utf8")]),
      printed: new Map(
        [...shown.matchAll(/^export declare const (\w+): (\{\n[\s\S]*?\n\});$/gm)].map(([, name = "", type = ""]) => [
          name,
          type,
        ]),
      ),
    };
  } finally {
    rmSync(WORKSHOP, { recursive: true, force: true });
  }
}

/** A printed type wherever it occurs, however far it is indented there. */
function occurrence(type: string): RegExp {
  const lines = type.split("\n").map((line) => line.trim().replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(lines.join("\\n *"), "g");
}

/** The members with what their schemas say of them. */
async function documented(members: string, { name, module }: Shape): Promise<string> {
  const schema = ((await import(pathToFileURL(module).href)) as Record<string, z.ZodObject>)[name];
  return members.replaceAll(/^ {4}(\w+)\??: /gm, (member, field: string) => {
    const description = schema?.shape[field]?.description;
    return description === undefined ? member : `    /** ${description} */\n${member}`;
  });
}

/** The declarations of a file with what they name of other files imported at their head. */
function withImports(text: string): string {
  const imports = new Set<string>();
  const body = text.replaceAll(/import\(("\.\/[\w-]+\.ts")\)\.(\w+)/g, (_, file: string, name: string) => {
    imports.add(`import type { ${name} } from ${file};\n`);
    return name;
  });
  return [...imports].sort().join("") + body;
}

/** Writes declarations of the package, which knows no `.ts` files. */
function write(file: string, text: string): void {
  const body = text.replaceAll(/from "(\.\/[\w-]+)\.ts"/g, 'from "$1.js"');
  const foreign = /(?:from |import\()"(?!\.\/[\w-]+\.js")[^"]*"/.exec(body)?.[0];
  if (foreign !== undefined) throw new CommandError(`The client's ${file} would need what is not packed: ${foreign}`);
  writeFileSync(path.join(PACKAGE, file), body);
}
