/** A body, and the result that both the feed and `npm run feed -- FILE --check` must have for it. */
interface FeedBytes {
  /** What is special about the body. */
  what: string;
  body: Uint8Array<ArrayBuffer>;
  /** How many lines there are, without blank ones. */
  lines: number;
  /** The error for each bad line. */
  bad: Record<string, string>;
}

const NOT_UTF_8 = "must be UTF-8";
const NO_OBJECT = "must be a JSON object: it is not JSON, at character 1 stands U+FEFF";
// The byte order mark.
const BOM = [0xef, 0xbb, 0xbf];

const encoder = new TextEncoder();
const customer = (id: string) => `{"record":"customer","id":"${id}","first_name":"Ada","last_name":"Ré"}`;

/** Joins texts and bytes. */
function bytes(...parts: (string | readonly number[])[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(parts.flatMap((part) => (typeof part === "string" ? [...encoder.encode(part)] : part)));
}

/** A customer whose name holds these bytes. */
function withName(name: readonly number[]): Uint8Array<ArrayBuffer> {
  const [before = "", after = ""] = customer("a").split("Ada");
  return bytes(before, name, after);
}

function utf16(text: string): number[] {
  return [0xff, 0xfe, ...[...text].flatMap((letter) => [letter.charCodeAt(0), 0])];
}

export const FEED_BYTES: readonly FeedBytes[] = [
  { what: "a byte order mark before the first line", body: bytes(BOM, customer("a")), lines: 1, bad: {} },
  {
    what: "a byte order mark before a later line, as of two files in one",
    body: bytes(customer("a"), "\n", BOM, customer("b")),
    lines: 2,
    bad: {},
  },
  { what: "two byte order marks", body: bytes(BOM, BOM, customer("a")), lines: 1, bad: { "line 1": NO_OBJECT } },
  { what: "a line of nothing but a byte order mark", body: bytes(BOM, "\r\n", customer("a")), lines: 1, bad: {} },
  { what: "CRLF, and no newline at the end", body: bytes(customer("a"), "\r\n", customer("b")), lines: 2, bad: {} },
  { what: "a blank line of a hundred spaces", body: bytes(" ".repeat(100), "\n", customer("a")), lines: 1, bad: {} },
  { what: "a blank line of a no-break space", body: bytes("\u00a0\n", customer("a")), lines: 1, bad: {} },
  {
    what: "a line of a byte that would be a no-break space in Latin-1",
    body: bytes([0xa0], "\n", customer("a")),
    lines: 2,
    bad: { "line 1": NOT_UTF_8 },
  },
  { what: "a name in Latin-1", body: withName([0x52, 0xe9]), lines: 1, bad: { "line 1": NOT_UTF_8 } },
  { what: "a lone surrogate in bytes", body: withName([0xed, 0xa0, 0x80]), lines: 1, bad: { "line 1": NOT_UTF_8 } },
  {
    what: "a letter in more bytes than it needs",
    body: withName([0xc1, 0x81]),
    lines: 1,
    bad: { "line 1": NOT_UTF_8 },
  },
  {
    what: "a letter cut off at the end",
    body: bytes(customer("a"), "\n\n{", [0xc3]),
    lines: 2,
    bad: { "line 3": NOT_UTF_8 },
  },
  { what: "UTF-16", body: bytes(utf16(customer("a"))), lines: 1, bad: { "line 1": NOT_UTF_8 } },
];
