import { main } from "./lib/project.ts";
import { runWrangler } from "./lib/wrangler.ts";

// `npm run wrangler -- …`: the wrangler of the lock file, with what it needs. `npx wrangler` on a fresh clone would fetch
// the newest one, and find no reference page to deploy.
await main(async () => {
  const { status } = await runWrangler(process.argv.slice(2));
  process.exitCode = status;
});
