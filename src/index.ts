import { app } from "./app.ts";
import { Inbox } from "./inbox/inbox.ts";
import { onSchedule } from "./service/schedule.ts";

export { Inbox };

export default { fetch: app.fetch, scheduled: onSchedule } satisfies ExportedHandler<Env>;
