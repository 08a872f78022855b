/** What an FTS5 index is made of. */
export interface IndexStructure {
  segments: number;
  /** Whether a merge of some of them is under way. */
  isMerging: boolean;
  /** Whether this merge takes in the oldest segment, which holds most of the index. */
  isMergingOldest: boolean;
}

const COOKIE_BYTES = 4;
// What follows the cookie where the index takes entries away by rowid (`contentless_delete`).
const NEWER_FORMAT = [0xff, 0x00, 0x00, 0x01];
const VALUES_OF_A_SEGMENT = 3;
const VALUES_OF_A_NEWER_SEGMENT = 8;

/**
 * Reads the record in which FTS5 keeps the structure of an index: nothing else says whether a merge is under way. It is
 * part of SQLite's file format, described at "Structure Records" in fts5_index.c and read by fts5StructureDecode() there.
 * @throws where the bytes are no such record.
 */
export function readIndexStructure(record: readonly number[]): IndexStructure {
  const isNewer = NEWER_FORMAT.every((byte, index) => record[COOKIE_BYTES + index] === byte);
  const values = readVarints(record.slice(COOKIE_BYTES + (isNewer ? NEWER_FORMAT.length : 0))).values();
  const next = () => values.next().value ?? Number.NaN;

  const [levels, segments] = [next(), next()];
  next(); // How many pages were ever written.
  let [counted, inputs, isMerging, isMergingOldest] = [0, 0, false, false];
  // From the newest segments to the oldest. A level may be merged in part, into the last segment of the level after it.
  for (let level = 0; level < levels; level += 1) {
    const inputsBefore = inputs;
    inputs = next();
    const here = next();
    counted += here;
    if (inputs > 0) isMerging = true;
    if (here > 0) isMergingOldest = inputsBefore > 0 && here === 1;
    for (let left = here * (isNewer ? VALUES_OF_A_NEWER_SEGMENT : VALUES_OF_A_SEGMENT); left > 0; left -= 1) next();
  }
  if (counted !== segments || values.next().done !== true)
    throw new Error("The structure of a search index cannot be read.");
  return { segments, isMerging, isMergingOldest };
}

/** SQLite's integers: seven bits a byte, the high bit says that more follow, and a ninth byte holds eight. */
function readVarints(bytes: readonly number[]): number[] {
  const values: number[] = [];
  let [value, length] = [0, 0];
  for (const byte of bytes) {
    length += 1;
    const isLast = byte < 0x80 || length === 9;
    value = length === 9 ? value * 0x100 + byte : value * 0x80 + (byte & 0x7f);
    if (!isLast) continue;
    values.push(value);
    [value, length] = [0, 0];
  }
  return values;
}
