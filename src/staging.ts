import { app } from "./app.ts";
import { PROBE_PATH, ProbedFanOut, ProbedInbox, probe } from "./service/probe.ts";
import { onSchedule } from "./service/schedule.ts";

// The entry of staging: the service, and beside it the address of `npm run probe`, which no other Worker contains.
export { ProbedFanOut as FanOut, ProbedInbox as Inbox };

export default {
  fetch(request, env, context) {
    const isProbe = env.ENVIRONMENT === "staging" && new URL(request.url).pathname === PROBE_PATH;
    return (isProbe ? probe : app).fetch(request, env, context);
  },
  scheduled: onSchedule,
} satisfies ExportedHandler<Env>;
