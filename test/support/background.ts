import { background } from "../../src/app-env.ts";

/**
 * Waits for background work, such as showing messages a second after they were fed, and notifying inboxes of them. Gives up
 * after six seconds: showing messages takes at most five.
 */
export async function backgroundWorkHasEnded(): Promise<void> {
  const running = runningInBackground();
  for (let attempts = 0; running.size > 0 && attempts < 300; attempts += 1)
    await new Promise((resolve) => setTimeout(resolve, 20));
  running.clear();
}

/** All test files share one set, because `background` is loaded once, whereas this file is loaded for each test file. */
function runningInBackground(): Set<Promise<unknown>> {
  const watched: typeof background & { running?: Set<Promise<unknown>> } = background;
  if (watched.running !== undefined) return watched.running;
  const running = new Set<Promise<unknown>>();
  const { run } = watched;
  watched.running = running;
  watched.run = (c, work) => {
    running.add(work);
    const ended = () => running.delete(work);
    work.then(ended, ended);
    run(c, work);
  };
  return running;
}
