import { app } from "./app.ts";
import { FanOut } from "./inbox/fan-out.ts";
import { Inbox } from "./inbox/inbox.ts";
import { onSchedule } from "./service/schedule.ts";

export { FanOut, Inbox };

export default { fetch: app.fetch, scheduled: onSchedule } satisfies ExportedHandler<Env>;
