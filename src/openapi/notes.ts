import type * as z from "zod";
import type { FailureName } from "./failures.ts";

/** A header of an answer, beside those that every answer carries. */
export interface HeaderNote {
  description: string;
  example: string;
}

/** What the reference says of an endpoint that no schema says. */
export interface Operation {
  /** What a generated client calls it. */
  id: string;
  tag: "Customer" | "Feed" | "Service";
  summary: string;
  description: string;
  /** The whole body of a call that went well. */
  answer: z.ZodType;
  /** Where no schema checks the body as a whole. */
  body?: BodyNote;
  /** Made when the document is: an account object has 130 fields. */
  examples: () => readonly Example[];
  failures?: readonly FailureName[];
  headers?: Readonly<Record<string, HeaderNote>>;
}

export interface BodyNote {
  mediaType: string;
  schema: z.ZodType;
}

/** A request with its answer, as the demo program gives it. */
export interface Example {
  summary: string;
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  answer: object;
}

/** What a handler or middleware says of itself, and so of every endpoint that it stands before. */
export interface Notes {
  operation?: Operation;
  /** What it takes from the request. */
  parameters?: { in: "query" | "path"; schema: z.ZodObject };
  body?: BodyNote;
  headers?: Readonly<Record<string, HeaderNote>>;
  /** What it may refuse a request with. */
  failures?: readonly FailureName[];
  /** Whose token it asks for. */
  token?: "customer" | "feed";
}

const notes = new WeakMap<object, Notes>();

/** Notes what the reference is to say of a handler, and gives the handler back. */
export function annotate<Handler extends object>(handler: Handler, its: Notes): Handler {
  notes.set(handler, its);
  return handler;
}

export function notesOf(handler: object): Notes {
  return notes.get(handler) ?? {};
}
