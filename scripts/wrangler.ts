import { runWrangler } from "./lib/wrangler.ts";

// `npm run wrangler -- …` runs the wrangler of the lock file. On a fresh clone, `npx wrangler` would fetch the newest
// version, and fail because the reference page is not built.
export const program = {
  async parseAsync(args: readonly string[]) {
    const { status } = await runWrangler(args);
    process.exitCode = status;
  },
};
