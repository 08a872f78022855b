import { type OutputUnit, Validator } from "@cfworker/json-schema";
import type { Answer } from "../../scripts/lib/call.ts";
import { Failure } from "../../src/http/answer-schema.ts";
import { NDJSON } from "../../src/http/limits.ts";
import { openApi } from "../../src/reference.ts";

export const document = openApi();

const validators = new Map<string, Validator>();

/**
 * Compares the status, the body and the headers of an answer with the OpenAPI document. An answer to an unknown path or
 * method must be a failure.
 * @throws an error that says what does not fit.
 */
export function fitDocument({ method, path }: { method: string; path: string }, answer: Answer): void {
  const template = Object.keys(document.paths).find((candidate) => matches(candidate, plain(path)));
  const operation = document.paths[template ?? ""]?.[method.toLowerCase()];
  if (template === undefined || operation === undefined) {
    if (![404, 405, 429].includes(answer.status)) throw new Error(`${method} ${path} answers, and is not described`);
    Failure.strict().parse(answer.body);
    return;
  }

  const answerName = `${method} ${template} ${answer.status}`;
  const response = operation.responses[answer.status];
  if (response === undefined) throw new Error(`${answerName} is not described: ${JSON.stringify(answer.body)}`);
  const missing = Object.keys(response.headers).filter(
    (name) => !answer.headers.has(name) && !isOptional(name, answer),
  );
  if (missing.length > 0) throw new Error(`${answerName} lacks the header ${missing.join(", ")}`);

  const [[mediaType = null, content] = []] = Object.entries(response.content);
  if (mediaType !== answer.headers.get("Content-Type"))
    throw new Error(`${answerName} is not described as its Content-Type`);
  if (content === undefined && answer.body === null) return;
  const validator = validators.get(answerName) ?? validatorOf(content?.schema ?? false);
  validators.set(answerName, validator);
  // All lines of a page have the same kind, so the first is enough.
  const described = mediaType === NDJSON ? answer.body.slice(0, 1) : [answer.body];
  const errors = described.flatMap((body: unknown) => validator.validate(body).errors);
  if (errors.length > 0) {
    const faults = errors
      .slice(0, 10)
      .map(({ instanceLocation, error }: OutputUnit) => `${instanceLocation}: ${error}`);
    throw new Error([`${answerName} does not fit its schema:`, ...faults, JSON.stringify(answer.body)].join("\n"));
  }
}

/** A 413 has Retry-After only if the database refused, because another request may have used up its memory. */
function isOptional(name: string, { status }: Answer): boolean {
  return OPTIONAL.has(name) || (status === 413 && name === "Retry-After");
}

// An answer without a query has no bookmark, the last page has no link, and an empty answer has no ETag.
const OPTIONAL = new Set(["X-D1-Bookmark", "Link", "X-Board-Age", "ETag"]);

/** A validator of a schema of the document, which may refer to the document's components. */
export function validatorOf(schema: object | boolean): Validator {
  const { components } = document;
  return new Validator({ ...(schema as object), components } as never, "2020-12");
}

/** The service ignores a doubled slash, and one at the end. */
const plain = (path: string) => path.replace(/\/+/g, "/").replace(/(?<=.)\/$/, "");

function matches(template: string, path: string): boolean {
  const templateParts = template.split("/");
  const parts = path.split("/");
  if (parts.length !== templateParts.length) return false;
  return templateParts.every((part, index) => part.startsWith("{") || part === parts[index]);
}
