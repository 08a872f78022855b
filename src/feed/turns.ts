import { readBody } from "../http/body.ts";
import { BODY_LIMIT } from "../http/limits.ts";
import { SMALL_BODY_BYTES } from "../values/limited-body.ts";
import { Admission, type Visitor } from "./admission.ts";

const MEBIBYTE = 1024 * 1024;

// An isolate has 128 MB for everybody. The largest request takes 48 of them while it is worked on, and so does the
// largest page of an export: one such at a time, or several smaller ones.
const working = new Admission({
  bytes: 10 * MEBIBYTE,
  bytesOfProgram: 10 * MEBIBYTE,
  stayMilliseconds: 60_000,
});

// Bodies take their bytes while they come in, for a minute at most, and then until they are worked on: those of three
// programs at a time. So a program whose bodies come slowly stops no other.
const reading = new Admission({
  bytes: 30 * MEBIBYTE,
  bytesOfProgram: 10 * MEBIBYTE,
  stayMilliseconds: 90_000,
});

/** How long a request waits for its turns in all. */
const PATIENCE_MILLISECONDS = 30_000;

function visitor(program: string): Visitor {
  return { program, patienceMilliseconds: PATIENCE_MILLISECONDS };
}

/**
 * Reads the body of a feed request and works on it, each in its turn. The first 64 KiB are read without one, so whoever
 * sends a few bytes and stops takes no room from anybody.
 */
export async function takeBodyInTurn<Result>(
  { program, message }: { program: string; message: Request },
  work: (body: Uint8Array) => Promise<Result>,
): Promise<Result> {
  const me = visitor(program);
  let leave = () => {};
  try {
    const body = await readBody(message, BODY_LIMIT, async (bytes) => {
      leave = await reading.enter(bytes, me);
    });
    if (body.length > SMALL_BODY_BYTES) {
      const leaveWork = await working.enter(body.length, me);
      leave();
      leave = leaveWork;
    }
    return await work(body);
  } finally {
    leave();
  }
}

/** Makes a page of an export in its turn. */
export async function makePageInTurn<Page>(program: string, make: () => Promise<Page>): Promise<Page> {
  const leave = await working.enter(BODY_LIMIT.bytes, visitor(program));
  try {
    return await make();
  } finally {
    leave();
  }
}
