import { InvalidArgumentError } from "commander";

/** The port that an option names. */
export function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535) throw new InvalidArgumentError("It must be 1 to 65535.");
  return port;
}

/** The whole number, 1 or more, that an option names. */
export function countingNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("It must be a whole number, 1 or more.");
  return Number(text);
}
