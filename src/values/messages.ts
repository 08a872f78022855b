import type * as z from "zod";

/** The error texts of a `VALIDATION_EXCEPTION`, by field. */
export type FieldMessages = Record<string, string[]>;

const TEXTS_A_FIELD = 10;

/** Adds an error text to a field, unless the field has this text or ten others. */
export function addMessage(messages: FieldMessages, field: string, text: string): void {
  messages[field] ??= [];
  const texts = messages[field];
  if (texts.length < TEXTS_A_FIELD && !texts.includes(text)) texts.push(text);
}

/** The error texts of every bad field. The path inside a field becomes part of the text. */
export function fieldMessages(error: z.core.$ZodError): FieldMessages {
  const messages: FieldMessages = {};
  for (const issue of error.issues) {
    const [field = "body", ...inner] = issue.path.map(String);
    addMessage(messages, field, inner.length > 0 ? `${inner.join(".")}: ${issue.message}` : issue.message);
  }
  return messages;
}
