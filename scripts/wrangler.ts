import { main } from "./lib/project.ts";
import { runWrangler } from "./lib/wrangler.ts";

// `npm run wrangler -- …` runs the wrangler of the lock file. On a fresh clone, `npx wrangler` would fetch the newest
// version, and fail because the reference page is not built.
await main(async () => {
  const { status } = await runWrangler(process.argv.slice(2));
  process.exitCode = status;
});
