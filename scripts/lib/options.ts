import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { InvalidArgumentError } from "commander";
import { invalidOrigins } from "../../src/middleware/cors.ts";
import { codePoints, ID_LIMIT } from "../../src/values/text.ts";
import { DEVELOPMENT, environmentNames, PRODUCTION, STAGING } from "./environments.ts";

export function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535) throw new InvalidArgumentError("It must be 1 to 65535.");
  return port;
}

export function originList(text: string): string {
  const wrongOrigins = invalidOrigins(text);
  if (wrongOrigins.length === 0) return text;
  throw new InvalidArgumentError(
    `${wrongOrigins.join(", ")} must be like http://localhost:5173, without a path or a slash.`,
  );
}

export function countingNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("It must be a whole number, 1 or more.");
  return Number(text);
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}

export function recordId(text: string): string {
  if (text === "" || codePoints(text) > ID_LIMIT)
    throw new InvalidArgumentError(`It must be 1 to ${ID_LIMIT} characters.`);
  return text;
}

/** A parser of names with commas between them. Every name must be known. */
export function namesOf(knownNames: readonly string[]): (text: string) => string[] {
  return (text) => {
    const names = text.split(",").map((name) => name.trim());
    const unknownNames = names.filter((name) => !knownNames.includes(name));
    if (unknownNames.length > 0) throw new InvalidArgumentError(`There is no kind ${unknownNames.join(", ")}.`);
    return names;
  };
}

export function environmentName(text: string): string {
  const names = environmentNames();
  if (!names.includes(text)) throw new InvalidArgumentError(`It must be ${names.join(" or ")}.`);
  return text;
}

export function programName(text: string): string {
  if (!/^[a-z0-9-]{1,32}$/.test(text)) throw new InvalidArgumentError("It must be 1 to 32 of a-z, 0-9 and -.");
  if (text === DEVELOPMENT) throw new InvalidArgumentError(`${DEVELOPMENT} is what npm start runs.`);
  return text;
}

export function programToRemove(text: string): string {
  if (text === PRODUCTION || text === STAGING) throw new InvalidArgumentError(`${PRODUCTION} and ${STAGING} stay.`);
  return environmentName(text);
}

/** Parses the name of a file to write. It checks the folder, so that a long run does not fail at its end. */
export function outputFile(text: string): string {
  const folder = path.dirname(path.resolve(text));
  if (!existsSync(folder)) throw new InvalidArgumentError(`There is no folder ${folder}.`);
  if (statSync(text, { throwIfNoEntry: false })?.isDirectory()) throw new InvalidArgumentError("It is a folder.");
  return text;
}
