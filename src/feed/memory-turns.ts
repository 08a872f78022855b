import { readBody } from "../http/body.ts";
import { BODY_LIMIT } from "../http/limits.ts";
import { SMALL_BODY_BYTES, WHOLE_WITHIN_MS } from "../values/limited-body.ts";
import { Admission } from "./admission.ts";

const MEBIBYTE = 1024 * 1024;

/** How long a request waits for its turns in all. */
const PATIENCE_MILLISECONDS = 30_000;

// The rules count bytes of bodies, not of memory. An isolate has 128 MB. The largest body, 8 MiB, takes 48 MB while it is
// worked on, and the largest page of an export as much: one such at a time, or several smaller ones.
const working = new Admission({
  bytes: 10 * MEBIBYTE,
  // Longer than the database may take for a write.
  stayMilliseconds: 60_000,
});

// A body takes its bytes while it comes in, and then until it is worked on.
const reading = new Admission({
  bytes: 30 * MEBIBYTE,
  stayMilliseconds: WHOLE_WITHIN_MS + PATIENCE_MILLISECONDS,
});

/** Each wait takes from its patience. */
function visitor() {
  return { patienceMilliseconds: PATIENCE_MILLISECONDS };
}

/**
 * Reads the body of a feed request and works on it. One of up to 64 KiB waits for nothing, so whoever sends a few bytes and
 * stops takes no room from anybody. A larger one waits for its turn to be read, then for its turn to be worked on.
 * @throws the failures of `readBody`, and 503 when it waits too long.
 */
export async function workOnBodyInTurn<Result>(
  request: Request,
  work: (body: Uint8Array) => Promise<Result>,
): Promise<Result> {
  const me = visitor();
  let leave = () => {};
  try {
    const body = await readBody(request, BODY_LIMIT, async (mostBytes) => {
      leave = await reading.enter(mostBytes, me);
    });
    if (body.length > SMALL_BODY_BYTES) {
      const leaveReading = leave;
      // It is among those that are read until it is among those that are worked on.
      leave = await working.enter(body.length, me);
      leaveReading();
    }
    return await work(body);
  } finally {
    leave();
  }
}

/** @throws 503 when it waits too long. */
export async function makePageInTurn<Page>(make: () => Promise<Page>): Promise<Page> {
  // How large it gets is not known yet: it counts as the largest body.
  const leave = await working.enter(BODY_LIMIT.bytes, visitor());
  try {
    return await make();
  } finally {
    leave();
  }
}
