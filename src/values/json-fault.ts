import { codePoints } from "./text.ts";

// JSON.parse says where a fault is in the words of its engine, and often not at all. So this reads the text once more.

const BLANK = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])/y;
const NAME = /(?:true|false|null)(?!\w)/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
/** What is shown of a text at a fault: a word, such as `NaN`, or a character. */
const SHOWN = /[\p{L}\p{N}_.+-]{1,20}|[\s\S]/uy;

const QUOTES = /[\u2018-\u201f\u00ab\u00bb']/;
const ENDS_EARLY = "it ends too early";

/** What is wrong with a text that is not JSON: "not JSON, at character 6 stands NaN". A character is a code point, from 1. */
export function faultOfJson(text: string): string {
  const { at, why } = firstFault(text);
  const shown = matchAt(SHOWN, text, at);
  if (shown === undefined) return `not JSON, ${ENDS_EARLY}, at character ${codePoints(text)}`;
  const hint = QUOTES.test(shown) ? "only straight double quotes enclose a text" : why;
  return `not JSON, at character ${codePoints(text.slice(0, at)) + 1} stands ${nameOf(shown)}${hint && `: ${hint}`}`;
}

function nameOf(shown: string): string {
  const code = shown.codePointAt(0) ?? 0;
  return /^[\p{C}\p{Z}\p{M}]/u.test(shown) ? `U+${code.toString(16).toUpperCase().padStart(4, "0")}` : shown;
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

interface JsonFault {
  /** The index of the fault in the text. */
  at: number;
  /** What is expected there, or empty. */
  why: string;
}

/** The first fault. It reads tokens in a loop, because a text may nest thousands of arrays. */
function firstFault(text: string): JsonFault {
  const open: string[] = [];
  let at = 0;
  let expects: "value" | "key" | "end of value" = "value";
  let before = "";
  for (;;) {
    at += matchAt(BLANK, text, at)?.length ?? 0;
    const token = text[at] ?? "";
    const inside = open.at(-1);
    if (expects === "end of value") {
      if (inside === undefined) return { at, why: "nothing may follow the object" };
      if (token !== "," && token !== (inside === "{" ? "}" : "]")) return { at, why: "a comma is missing before it" };
      if (token === ",") expects = inside === "{" ? "key" : "value";
      else open.pop();
      at += 1;
    } else if ((token === "}" && expects === "key") || (token === "]" && inside === "[" && expects === "value")) {
      if (before === ",") return { at, why: "no comma may stand before it" };
      open.pop();
      expects = "end of value";
      at += 1;
    } else if (expects === "key") {
      if (token !== '"') return { at, why: "a name in double quotes must stand here" };
      const name = readText(text, at);
      if (name.fault !== undefined) return name.fault;
      at = name.end + (matchAt(BLANK, text, name.end)?.length ?? 0);
      if (text[at] !== ":") return { at, why: "a colon must stand here" };
      at += 1;
      expects = "value";
    } else if (token === "{" || token === "[") {
      open.push(token);
      expects = token === "{" ? "key" : "value";
      at += 1;
    } else if (token === '"') {
      const value = readText(text, at);
      if (value.fault !== undefined) return value.fault;
      at = value.end;
      expects = "end of value";
    } else {
      const value = matchAt(NUMBER, text, at) ?? matchAt(NAME, text, at);
      if (value === undefined) return { at, why: "" };
      at += value.length;
      expects = "end of value";
    }
    before = token;
  }
}

/** Reads the text that begins at a quote. */
function readText(text: string, start: number): { end: number; fault?: JsonFault } {
  for (let at = start + 1; at < text.length; ) {
    const character = text[at] ?? "";
    if (character === '"') return { end: at + 1 };
    if (character < " ") return { end: at, fault: { at, why: "a text must not hold it unescaped" } };
    if (character !== "\\") at += 1;
    else {
      const escaped = matchAt(ESCAPE, text, at);
      if (escaped === undefined) return { end: at, fault: { at, why: "no such escape" } };
      at += escaped.length;
    }
  }
  return { end: text.length, fault: { at: text.length, why: "" } };
}
