import type { Hono } from "hono";
import { METHOD_NAME_ALL } from "hono/router";
import packageJson from "../../package.json" with { type: "json" };
import type { AppEnv } from "../app-env.ts";
import { Failure } from "../http/failure-schema.ts";
import { NDJSON } from "../http/limits.ts";
import { partsOf } from "../values/parameter.ts";
import RECORDED from "./examples.json" with { type: "json" };
import { FAILURES, type FailureName } from "./failures.ts";
import { type Components, type JsonSchema, pascalCase, toJsonSchema } from "./json-schema.ts";
import { type Example, type HeaderNote, type Notes, notesOf, type Operation } from "./notes.ts";
import * as texts from "./texts.ts";

interface OperationObject extends Record<string, unknown> {
  operationId: string;
  responses: Record<string, ResponseObject>;
}

interface ResponseObject {
  description: string;
  headers: Record<string, unknown>;
  content: Record<string, { schema: JsonSchema; examples: Record<string, unknown> }>;
}

const GOOD = { 200: "The call went well.", 101: "The WebSocket is open." } as const;
const UNCHANGED = "The answer is still one that `If-None-Match` names. There is no body.";

const JSON_TYPE = "application/json";

/**
 * Builds the OpenAPI document from the app's routes. Requests come from the schemas that validate them, failures from the
 * middleware before each endpoint, and the rest from `operations`, which are not part of the Worker.
 * @param operations by method and path, as in `GET /health`.
 */
export function openApiDocument(app: Hono<AppEnv>, operations: Readonly<Record<string, Operation>>) {
  const schemas: Components = {};
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
    components: { securitySchemes: texts.SECURITY_SCHEMES, schemas },
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
  const mayBeUnchanged = notes.some((note) => note.mayBeUnchanged);
  const parameters = notes.flatMap((note) => parameterObjects(note, examples, schemas));
  if (mayBeUnchanged) parameters.push(texts.IF_NONE_MATCH);
  const ownHeaders: Record<string, HeaderNote> = Object.assign({}, ...notes.map((note) => note.headers));
  const headers = headerObjects({
    ...texts.COMMON_HEADERS,
    ...(mayBeUnchanged && texts.ETAG),
    ...(notes.some((note) => note.hasBookmark) && texts.BOOKMARK),
    ...(parameters.some(({ name }) => name === "after") && texts.LINK),
    ...ownHeaders,
  });

  const responses = goodResponse(operation, headers, schemas);
  if (mayBeUnchanged) responses[304] = { description: UNCHANGED, headers, content: {} };
  for (const name of new Set(notes.flatMap((note) => note.failures ?? []))) addFailure(responses, name, schemas);
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
  headers: Record<string, unknown>,
  schemas: Components,
): OperationObject["responses"] {
  const recorded = (RECORDED as Record<string, Record<string, object>>)[id];
  const answers = examples.map((example) => ({ answer: recorded?.[example.summary], ...example }));
  const respond = (status: keyof typeof GOOD, mediaType: string, schema: JsonSchema) => ({
    [status]: {
      description: GOOD[status],
      headers,
      content: { [mediaType]: { schema, examples: examplesOf(answers, "answer") } },
    },
  });
  if (answer !== undefined)
    return respond(200, JSON_TYPE, toJsonSchema(answer, "output", schemas, `${pascalCase(id)}Answer`));
  if (lines !== undefined) return respond(200, NDJSON, toJsonSchema(lines, "input", schemas));
  // OpenAPI has no place for WebSocket frames, so the 101 answer describes them.
  if (frames !== undefined) return respond(101, JSON_TYPE, toJsonSchema(frames, "output", schemas));
  throw new Error(`The operation ${id} does not describe its answer.`);
}

/** Adds a failure to the response with its status. */
function addFailure(responses: OperationObject["responses"], name: FailureName, schemas: Components): void {
  const { description, example } = FAILURES[name];
  const { status, body } = example;
  const earlier = responses[status];
  const content = earlier?.content[JSON_TYPE];
  const ownSchema = failureSchema(name, body, schemas);
  const otherSchemas = content && ((content.schema.anyOf as JsonSchema[] | undefined) ?? [content.schema]);
  const headers = mapValues(example.headers, (value, header) => ({
    description: texts.FAILURE_HEADERS[header] ?? header,
    example: value,
  }));
  responses[status] = {
    description: earlier ? `${earlier.description} Or: ${description}` : description,
    headers: { ...(earlier?.headers ?? headerObjects(texts.COMMON_HEADERS)), ...headerObjects(headers) },
    content: {
      [JSON_TYPE]: {
        schema: otherSchemas ? { anyOf: [...otherSchemas, ownSchema] } : ownSchema,
        examples: { ...content?.examples, [name]: { summary: description, value: body } },
      },
    },
  };
}

/** A named schema with exactly the fields of this failure. */
function failureSchema(name: FailureName, body: Failure, schemas: Components): JsonSchema {
  const { properties } = toJsonSchema(Failure, "output", schemas) as { properties: Record<string, JsonSchema> };
  const code = { type: "string", const: body.errorCode, description: properties.errorCode?.description };
  const id = `${name}Failure`;
  schemas[id] = {
    type: "object",
    properties: mapValues(body, (_, field) => (field === "errorCode" ? code : properties[field])),
    required: Object.keys(body),
    additionalProperties: false,
  };
  return { $ref: `#/components/schemas/${id}` };
}

function headerObjects(headers: Readonly<Record<string, HeaderNote>>): Record<string, unknown> {
  return mapValues(headers, ({ description, example }) => ({ description, schema: { type: "string" }, example }));
}

/** The bodies or answers of examples, by the summary in camel case. */
function examplesOf(examples: readonly Example[], part: "answer" | "body"): Record<string, unknown> {
  const withPart = examples.filter((example) => example[part] !== undefined);
  const nameOf = (summary: string) =>
    summary.toLowerCase().replace(/[^a-z0-9]+(\w?)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(withPart.map(({ summary, [part]: value }) => [nameOf(summary), { summary, value }]));
}

function mapValues<In, Out>(record: Readonly<Record<string, In>>, map: (value: In, name: string) => Out) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}

/**
 * The example of a parameter. Scalar's form would send each example, and the first value of each enum, as a filter that
 * the user did not choose. `x-disabled` makes it show the example without sending it.
 */
function exampleOf({ type, enum: values }: JsonSchema, text: string | undefined, location: "path" | "query"): object {
  if (location === "path") return { example: text };
  if (values !== undefined) return { examples: { default: { value: (values as unknown[])[0], "x-disabled": true } } };
  if (text === undefined) return {};
  return { examples: { default: { value: parsedParameter(type, text), "x-disabled": true } } };
}

function parsedParameter(type: unknown, text: string): unknown {
  if (type === "array") return partsOf(text);
  return type === "string" ? text : JSON.parse(text);
}
