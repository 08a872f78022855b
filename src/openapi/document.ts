import type { Hono } from "hono";
import packageJson from "../../package.json" with { type: "json" };
import type { AppEnv } from "../app-env.ts";
import { Failure } from "../http/answer-schema.ts";
import { NDJSON } from "../http/limits.ts";
import { itemsOfList } from "../values/parameter.ts";
import RECORDED from "./examples.json" with { type: "json" };
import { FAILURES, type FailureName, MEANINGS } from "./failures.ts";
import { type Components, type JsonSchema, pascalCase, toJsonSchema } from "./json-schema.ts";
import { type Example, type Notes, notesOf, type Operation } from "./notes.ts";
import * as texts from "./texts.ts";

type OperationObject = ReturnType<typeof operationObject>;
type Responses = Record<string, ResponseObject>;

interface ResponseObject {
  description: string;
  headers: Record<string, { $ref: string }>;
  content: Record<string, { schema: JsonSchema; examples: Record<string, unknown> }>;
}

type ObjectSchema = { properties: Record<string, JsonSchema>; required?: string[] };

const JSON_TYPE = "application/json";

/**
 * Builds the OpenAPI document. Requests come from the schemas that validate them, failures from the middleware before each
 * endpoint, and the rest from `operations`, which are not part of the Worker.
 * @param operations by method and path, as in `GET /health`.
 */
export function openApiDocument(app: Hono<AppEnv>, operations: Readonly<Record<string, Operation>>) {
  const schemas: Components = {};
  toJsonSchema(Failure, "output", schemas, "Failure");
  const paths: Record<string, Record<string, OperationObject>> = {};
  for (const [endpoint, operation] of Object.entries(operations)) {
    const [method = "", path = ""] = endpoint.split(" ");
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

function operationObject(path: string, operation: Operation, notes: readonly Notes[], schemas: Components) {
  const { id, summary, description, examples } = operation;
  const [token] = notes.flatMap((note) => note.token ?? []);
  const body = notes.findLast((note) => note.body !== undefined)?.body;
  const ownParameters = notes.flatMap((note) => parameterObjects(note, examples, schemas));
  const headerNames = notes.flatMap((note) => note.headers ?? []);
  const mayBeUnchanged = headerNames.includes("ETag");
  const readsAtBookmark = notes.findLast(({ readsFrom }) => readsFrom !== undefined)?.readsFrom === "bookmark";
  const parameters = [
    ...ownParameters,
    ...(readsAtBookmark ? [texts.BOOKMARK] : []),
    ...(mayBeUnchanged ? [texts.IF_NONE_MATCH] : []),
  ];
  // The cursor `after` of the next page is in the header `Link`.
  if (parameters.some(({ name }) => name === "after")) headerNames.push("Link");
  const headers = headerObjects(headerNames);

  const responses = goodResponse(operation, headers, schemas);
  if (mayBeUnchanged) responses[304] = { description: texts.UNCHANGED, headers, content: {} };
  for (const name of new Set(notes.flatMap((note) => note.failures ?? []))) addFailure(responses, name);
  const content = body && {
    [body.mediaType]: {
      schema: bodySchema(body, `${pascalCase(id)}Body`, schemas),
      examples: examplesOf(examples, "body"),
    },
  };
  return {
    operationId: id,
    tags: [texts.tagOf(path)],
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
  const named = schemas[name] as ObjectSchema;
  for (const [field, { default: fallback, ...rest }] of Object.entries(named.properties)) {
    if (fallback === undefined) continue;
    named.properties[field] = { ...rest, description: `${rest.description} Left out: \`${fallback}\`.` };
  }
  return reference;
}

function parameterObjects({ parameters }: Notes, examples: readonly Example[], schemas: Components) {
  if (parameters === undefined) return [];
  const { properties, required = [] } = toJsonSchema(parameters.schema, "input", schemas) as ObjectSchema;
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

function goodResponse(operation: Operation, headers: ResponseObject["headers"], schemas: Components): Responses {
  const { id, answer, answerForm, status = 200, examples } = operation;
  const hasLines = answerForm === "lines";
  const schema = toJsonSchema(answer, hasLines ? "input" : "output", schemas, `${pascalCase(id)}Answer`);
  const recorded = (RECORDED as Record<string, Record<string, object>>)[id];
  const answers = examples.map((example) => ({ answer: recorded?.[example.summary], ...example }));
  const content = { [hasLines ? NDJSON : JSON_TYPE]: { schema, examples: examplesOf(answers, "answer") } };
  // OpenAPI has no place for WebSocket frames, so the 101 answer describes them.
  if (answerForm === "frames") return { 101: { description: "The WebSocket is open.", headers, content } };
  return { [status]: { description: "The call went well.", headers, content } };
}

/** Adds a failure to the response with its status. */
function addFailure(responses: Responses, name: FailureName): void {
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
function examplesOf(examples: readonly Example[], side: "answer" | "body"): Record<string, unknown> {
  const withSide = examples.filter((example) => example[side] !== undefined);
  return Object.fromEntries(withSide.map(({ summary, [side]: value }) => [summary, { summary, value }]));
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
  if (type === "array") return itemsOfList(text);
  return type === "string" ? text : JSON.parse(text);
}
