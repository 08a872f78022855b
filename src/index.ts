import { app } from "./app.ts";
import { onSchedule } from "./service/schedule.ts";

export default { fetch: app.fetch, scheduled: onSchedule } satisfies ExportedHandler<Env>;
