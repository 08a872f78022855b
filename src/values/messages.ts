import type * as z from "zod";

/** The texts of each bad field: what a `VALIDATION_EXCEPTION` carries. */
export type FieldMessages = Record<string, string[]>;

const TEXTS_A_FIELD = 10;

/** Adds a text to a field's, unless it is there already or the field has enough of them. */
export function addMessage(messages: FieldMessages, field: string, text: string): void {
  messages[field] ??= [];
  const texts = messages[field];
  if (texts.length < TEXTS_A_FIELD && !texts.includes(text)) texts.push(text);
}

/** Every bad field of a failed check with its texts; what lies inside a field is named in the text. */
export function fieldMessages(error: z.core.$ZodError): FieldMessages {
  const messages: FieldMessages = {};
  for (const issue of error.issues) {
    const [field = "body", ...inner] = issue.path.map(String);
    addMessage(messages, field, inner.length > 0 ? `${inner.join(".")}: ${issue.message}` : issue.message);
  }
  return messages;
}
