import type { Hono } from "hono";
import { METHOD_NAME_ALL } from "hono/router";
import packageJson from "../../package.json" with { type: "json" };
import type { AppEnv } from "../app-env.ts";
import { Failure } from "../http/failure-schema.ts";
import { NDJSON } from "../http/limits.ts";
import { partsOf } from "../values/parameter.ts";
import RECORDED from "./examples.json" with { type: "json" };
import { FAILURES, type FailureName, MEANINGS } from "./failures.ts";
import { type Components, type JsonSchema, pascalCase, toJsonSchema } from "./json-schema.ts";
import { type Example, type Notes, notesOf, type Operation } from "./notes.ts";
import * as texts from "./texts.ts";

interface OperationObject extends Record<string, unknown> {
  operationId: string;
  responses: Record<string, ResponseObject>;
}

interface ResponseObject {
  description: string;
  headers: Record<string, { $ref: string }>;
  content: Record<string, { schema: JsonSchema; examples: Record<string, unknown> }>;
}

const UNCHANGED = "The answer is still one that `If-None-Match` names. There is no body.";

const JSON_TYPE = "application/json";

/**
 * Builds the OpenAPI document from the app's routes. Requests come from the schemas that validate them, failures from the
 * middleware before each endpoint, and the rest from `operations`, which are not part of the Worker.
 * @param operations by method and path, as in `GET /health`.
 */
export function openApiDocument(app: Hono<AppEnv>, operations: Readonly<Record<string, Operation>>) {
  const schemas: Components = {};
  toJsonSchema(Failure, "output", schemas, "Failure");
  const paths: Record<string, Record<string, OperationObject>> = {};
  for (const { method, path } of endpoints(app)) {
    const operation = operations[`${method} ${path}`];
    if (operation === undefined) throw new Error(`${method} ${path} is not described in src/reference.ts.`);
    const [handlers] = app.router.match(method, path);
    const notes = [...handlers.map(([[handler]]) => notesOf(handler)), operation];
    const template = path.replace(/:(\w+)/g, "{$1}");
    paths[template] ??= {};
    paths[template][method.toLowerCase()] = operationObject(path, operation, notes, schemas);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "loyalty-edge",
      version: packageJson.version,
      summary: packageJson.description,
      description: texts.INTRODUCTION,
      contact: { name: "The operator of this service" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "The service that serves this document." }],
    tags: texts.TAGS,
    paths,
    components: { securitySchemes: texts.SECURITY_SCHEMES, headers: texts.HEADERS, schemas },
  };
}

/** The distinct endpoints. A handler for all methods is middleware, so it is left out. */
export function endpoints(app: Hono<AppEnv>): { method: string; path: string }[] {
  const served = app.routes.filter(({ method }) => method !== METHOD_NAME_ALL);
  return [...new Map(served.map(({ method, path }) => [`${method} ${path}`, { method, path }])).values()];
}

function operationObject(path: string, operation: Operation, notes: readonly Notes[], schemas: Components) {
  const { id, summary, description, examples } = operation;
  const [, tag = "service"] = /^\/api\/v1\/(\w+)/.exec(path) ?? [];
  const token = notes.find((note) => note.token !== undefined)?.token;
  const body = notes.findLast((note) => note.body !== undefined)?.body;
  const parameters = notes.flatMap((note) => parameterObjects(note, examples, schemas));
  const headerNames = notes.flatMap((note) => note.headers ?? []);
  // The cursor `after` of the next page is in the header `Link`.
  if (parameters.some(({ name }) => name === "after")) headerNames.push("Link");
  const mayBeUnchanged = headerNames.includes("ETag");
  if (mayBeUnchanged) parameters.push(texts.IF_NONE_MATCH);
  const headers = headerObjects(headerNames);

  const responses = goodResponse(operation, headers, schemas);
  if (mayBeUnchanged) responses[304] = { description: UNCHANGED, headers, content: {} };
  for (const name of new Set(notes.flatMap((note) => note.failures ?? []))) addFailure(responses, name);
  const content = body && {
    [body.mediaType]: {
      schema: bodySchema(body, `${pascalCase(id)}Body`, schemas),
      examples: examplesOf(examples, "body"),
    },
  };
  return {
    operationId: id,
    tags: [pascalCase(tag)],
    summary,
    description,
    security: token === undefined ? [] : [{ [token]: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(content && { requestBody: { required: true, content } }),
    responses,
  };
}

/**
 * The schema of a body. The default of a JSON field moves into its description, because openapi-typescript makes a field
 * with a default required.
 */
function bodySchema({ mediaType, schema }: NonNullable<Notes["body"]>, name: string, schemas: Components): JsonSchema {
  const reference = toJsonSchema(schema, "input", schemas, name);
  if (mediaType !== JSON_TYPE) return reference;
  const named = schemas[name] as { properties: Record<string, JsonSchema> };
  for (const [field, { default: fallback, ...rest }] of Object.entries(named.properties)) {
    if (fallback === undefined) continue;
    named.properties[field] = { ...rest, description: `${rest.description} Left out: \`${fallback}\`.` };
  }
  return reference;
}

function parameterObjects(
  { parameters }: Notes,
  examples: readonly Example[],
  schemas: Components,
): { name: string }[] {
  if (parameters === undefined) return [];
  const { properties, required = [] } = toJsonSchema(parameters.schema, "input", schemas) as {
    properties: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => {
    const [exampleText] = examples.flatMap((example) => example[parameters.in]?.[name] ?? []);
    return {
      name,
      in: parameters.in,
      required: parameters.in === "path" || required.includes(name),
      description,
      schema,
      // The service accepts both styles of lists. Commas make shorter URLs.
      ...(schema.type === "array" && { style: "form", explode: false }),
      ...exampleOf(schema, exampleText, parameters.in),
    };
  });
}

function goodResponse(
  { id, answer, lines, frames, examples }: Operation,
  headers: ResponseObject["headers"],
  schemas: Components,
): OperationObject["responses"] {
  const zodSchema = answer ?? lines ?? frames;
  if (zodSchema === undefined) throw new Error(`The operation ${id} does not describe its answer.`);
  const schema = toJsonSchema(zodSchema, lines ? "input" : "output", schemas, answer && `${pascalCase(id)}Answer`);
  const recorded = (RECORDED as Record<string, Record<string, object>>)[id];
  const answers = examples.map((example) => ({ answer: recorded?.[example.summary], ...example }));
  const content = { [lines ? NDJSON : JSON_TYPE]: { schema, examples: examplesOf(answers, "answer") } };
  // OpenAPI has no place for WebSocket frames, so the 101 answer describes them.
  if (frames) return { 101: { description: "The WebSocket is open.", headers, content } };
  return { 200: { description: "The call went well.", headers, content } };
}

/** Adds a failure to the response with its status. */
function addFailure(responses: OperationObject["responses"], name: FailureName): void {
  const { status, body, headers } = FAILURES[name];
  const earlier = responses[status];
  const earlierContent = earlier?.content[JSON_TYPE];
  const schema = { $ref: "#/components/schemas/Failure" };
  // The answer without items is the only failure that shares its status with the good answer.
  const goodSchema = status === 200 ? earlierContent?.schema : undefined;
  responses[status] = {
    description: MEANINGS[status],
    headers: { ...earlier?.headers, ...headerObjects(Object.keys(headers)) },
    content: {
      [JSON_TYPE]: {
        schema: goodSchema === undefined ? schema : { anyOf: [goodSchema, schema] },
        examples: { ...earlierContent?.examples, [name]: { value: body } },
      },
    },
  };
}

/** References to the headers of every answer, and to the headers with these names. */
function headerObjects(names: readonly string[]): Record<string, { $ref: string }> {
  const allNames = [...texts.COMMON_HEADERS, ...names];
  return Object.fromEntries(allNames.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The bodies or answers of examples, by their summaries. */
function examplesOf(examples: readonly Example[], part: "answer" | "body"): Record<string, unknown> {
  const withPart = examples.filter((example) => example[part] !== undefined);
  return Object.fromEntries(withPart.map(({ summary, [part]: value }) => [summary, { summary, value }]));
}

/**
 * The example of a parameter. Scalar's form would send each example, and the first value of each enum, as a filter that
 * the user did not choose. `x-disabled` makes it show the example without sending it.
 */
function exampleOf({ type, enum: values }: JsonSchema, text: string | undefined, location: "path" | "query"): object {
  if (location === "path") return { example: text };
  const shownText = (values as string[] | undefined)?.[0] ?? text;
  if (shownText === undefined) return {};
  return { examples: { default: { value: parsedParameter(type, shownText), "x-disabled": true } } };
}

function parsedParameter(type: unknown, text: string): unknown {
  if (type === "array") return partsOf(text);
  return type === "string" ? text : JSON.parse(text);
}
