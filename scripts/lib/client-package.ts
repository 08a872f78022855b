import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { build, transform } from "esbuild";
import * as shapes from "../../client/src/shapes.ts";
import { type Components, toJsonSchema } from "../../src/openapi/json-schema.ts";
import { CommandError, ROOT, runTool } from "./project.ts";

const PACKAGE = path.join(ROOT, "client");
/** The declarations of the package's modules. Those of its entries are beside client.js and till.js. */
const TYPES = path.join(PACKAGE, "types");
/** The folder into which `tsc` writes the declarations of whatever the client imports. */
const ALL_TYPES = path.join(ROOT, "dist", "client-types");
const SHAPES = "shapes.d.ts";
/**
 * How large each entry may be, minified and compressed: `loyalty-edge/client` in an app, `loyalty-edge/till` in a till's backend.
 * README.md and client/README.md say 5.0 KB of the client.
 */
const LARGEST_BYTES = { client: 5_049, till: 4_000 };
type Entry = keyof typeof LARGEST_BYTES;
const ENTRIES = Object.keys(LARGEST_BYTES) as Entry[];
const inKilobytes = (bytes: number) => `${(bytes / 1_000).toFixed(1)} KB gzip`;

/**
 * Builds the package of the typed clients, which depends on nothing: one file of JavaScript for each entry, the declarations of
 * their modules, and the types of the shapes, printed from their Zod schemas. Resolves with the size of each, minified and
 * compressed.
 * @throws a CommandError if an entry is too large.
 */
export async function buildClient(): Promise<string> {
  await Promise.all([...ENTRIES.map(bundle), declare()]);
  writeFileSync(path.join(TYPES, SHAPES), printShapes());
  copyFileSync(path.join(ROOT, "LICENSE"), path.join(PACKAGE, "LICENSE"));
  const sizes = await Promise.all(ENTRIES.map(measure));
  return sizes.join(", ");
}

/** The size of an entry. @throws a CommandError if it is too large. */
async function measure(entry: Entry): Promise<string> {
  const { code } = await transform(readFileSync(path.join(PACKAGE, `${entry}.js`), "utf8"), { minify: true });
  const size = gzipSync(code).length;
  const text = `${entry}.js takes ${inKilobytes(size)}`;
  if (size > LARGEST_BYTES[entry]) throw new CommandError(`${text}; ${inKilobytes(LARGEST_BYTES[entry])} at most.`);
  return text;
}

async function bundle(entry: Entry): Promise<void> {
  writeFileSync(path.join(PACKAGE, `${entry}.d.ts`), `export * from "./types/${entry}.js";\n`);
  await build({
    entryPoints: [path.join(PACKAGE, "src", `${entry}.ts`)],
    outfile: path.join(PACKAGE, `${entry}.js`),
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
