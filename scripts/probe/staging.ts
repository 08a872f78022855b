import { app } from "../../src/app.ts";
import { onSchedule } from "../../src/service/schedule.ts";
import { PROBE_PATH, ProbedFanOut, ProbedInbox, probe } from "./endpoint.ts";

// The entry point of staging: the service plus the endpoint of `npm run edge -- probe`. Production does not contain the endpoint.
export { ProbedFanOut as FanOut, ProbedInbox as Inbox };

export default {
  fetch(request, env, context) {
    const isProbe = env.ENVIRONMENT === "staging" && new URL(request.url).pathname === PROBE_PATH;
    return (isProbe ? probe : app).fetch(request, env, context);
  },
  scheduled: onSchedule,
} satisfies ExportedHandler<Env>;
