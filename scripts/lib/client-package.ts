import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { build, transform } from "esbuild";
import * as shapes from "../../client/src/shapes.ts";
import { type Components, toJsonSchema } from "../../src/openapi/json-schema.ts";
import { CommandError, ROOT, runTool } from "./project.ts";

const PACKAGE = path.join(ROOT, "client");
/** The declarations of the client's modules. Its entry is beside client.js. */
const TYPES = path.join(PACKAGE, "types");
/** The folder into which `tsc` writes the declarations of whatever the client imports. */
const ALL_TYPES = path.join(ROOT, "dist", "client-types");
const SHAPES = "shapes.d.ts";
/** How large the minified and compressed client may be. README.md and client/README.md say 5.2 KB. */
const LARGEST_BYTES = 5_249;
const inKilobytes = (bytes: number) => `${(bytes / 1_000).toFixed(1)} KB gzip`;

/**
 * Builds the package of the typed client, which depends on nothing: one file of JavaScript, the declarations of its
 * modules, and the types of the shapes, printed from their Zod schemas. Resolves with its size, minified and compressed.
 * @throws a CommandError if it is too large.
 */
export async function buildClient(): Promise<string> {
  await Promise.all([bundle(), declare()]);
  writeFileSync(path.join(TYPES, SHAPES), printShapes());
  writeFileSync(path.join(PACKAGE, "client.d.ts"), 'export * from "./types/client.js";\n');
  copyFileSync(path.join(ROOT, "LICENSE"), path.join(PACKAGE, "LICENSE"));
  const { code } = await transform(readFileSync(path.join(PACKAGE, "client.js"), "utf8"), { minify: true });
  const size = gzipSync(code).length;
  if (size > LARGEST_BYTES)
    throw new CommandError(`The client takes ${inKilobytes(size)}; ${inKilobytes(LARGEST_BYTES)} at most.`);
  return inKilobytes(size);
}

async function bundle(): Promise<void> {
  await build({
    entryPoints: [path.join(PACKAGE, "src", "client.ts")],
    outfile: path.join(PACKAGE, "client.js"),
    bundle: true,
    format: "esm",
    // For browsers, Node and Workers.
    platform: "neutral",
    target: "es2022",
    logLevel: "error",
  });
}

/** Writes the declarations of the client's modules. printShapes() replaces those of the shapes, which would need Zod. */
async function declare(): Promise<void> {
  rmSync(ALL_TYPES, { recursive: true, force: true });
  const emit = [
    "--noEmit",
    "false",
    "--declaration",
    "--emitDeclarationOnly",
    "--rootDir",
    ROOT,
    "--outDir",
    ALL_TYPES,
  ];
  const { status, output } = await runTool("tsc", ["-p", "client/tsconfig.json", ...emit], { capture: true });
  if (status !== 0) throw new CommandError(`The client's types could not be made.\n${output}`);
  rmSync(TYPES, { recursive: true, force: true });
  mkdirSync(TYPES);
  const types = path.join(ALL_TYPES, "client", "src");
  for (const file of readdirSync(types)) copyFileSync(path.join(types, file), path.join(TYPES, file));
  rmSync(ALL_TYPES, { recursive: true, force: true });
}

/** A type for each shape, with the descriptions of its fields. */
function printShapes(): string {
  const components: Components = {};
  const aliases: string[] = [];
  for (const [name, schema] of Object.entries(shapes)) {
    const { $ref, ...inlineSchema } = toJsonSchema(schema, "output", components);
    const component = nameOf($ref);
    if (component === "") components[name] = inlineSchema;
    else if (component !== name) aliases.push(`export type ${name} = ${component};\n`);
  }
  const types = Object.entries(components).map(([name, schema]) =>
    "properties" in schema
      ? `export interface ${name} ${print(schema)}\n`
      : `export type ${name} = ${print(schema)};\n`,
  );
  return [...types, ...aliases].join("\n");
}

const nameOf = ($ref: unknown) => ($ref === undefined ? "" : path.posix.basename(String($ref)));

interface Schema {
  $ref?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  type?: string | string[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | false;
  description?: string;
}

/** A JSON Schema as a TypeScript type. @throws a CommandError for a schema of a form that no shape has had so far. */
function print(schema: Schema, indent = ""): string {
  const { $ref, anyOf, type: typeName, items, properties, required = [], additionalProperties: valueSchema } = schema;
  if ($ref !== undefined) return nameOf($ref);
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (anyOf !== undefined) return anyOf.map((variant) => print(variant, indent)).join(" | ");
  if (Array.isArray(typeName))
    return typeName.map((variant) => print({ ...schema, type: variant }, indent)).join(" | ");
  if (items !== undefined) return `Array<${print(items, indent)}>`;
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(([name, field]) => {
      const comment = field.description === undefined ? "" : `${indent}    /** ${field.description} */\n`;
      const type = print(field, `${indent}    `);
      const member = required.includes(name) ? `${name}: ${type}` : `${name}?: ${type} | undefined`;
      return `${comment}${indent}    ${member};\n`;
    });
    return `{\n${fields.join("")}${indent}}`;
  }
  if (valueSchema) return `Record<string, ${print(valueSchema, indent)}>`;
  if (typeName === "integer") return "number";
  if (["string", "number", "boolean", "null"].includes(typeName ?? "")) return String(typeName);
  throw new CommandError(`The client's types cannot say ${JSON.stringify(schema)}.`);
}
