import { DurableObject } from "cloudflare:workers";
import { SUBPROTOCOL } from "../auth/subprotocols.ts";
import { Database } from "../db/database.ts";
import { addChange, type ChangeKind, nextFrameAt, type Pending, takeFrame } from "./frames.ts";
import {
  afterNotification,
  afterReport,
  afterUnshownMessage,
  EMPTY_INBOX,
  hasNothingNew,
  type InboxState,
  knownNewestAt,
  type Report,
} from "./inbox-state.ts";
import { RENEW_AFTER_MS, renewListening } from "./queries.ts";
import {
  type Attachment,
  attach,
  attachmentOf,
  CONNECTION_HEADER,
  countFrame,
  expiresAt,
  FRAMES_A_MINUTE,
  readConnection,
} from "./socket.ts";

/** That a feed request has changed something that concerns the customer. */
export interface Notification {
  /** Its feed version. */
  version: number;
  kinds: readonly ChangeKind[];
  /** Milliseconds until its messages are shown. */
  messageWaitMs: number;
}

/** How an inbox answers a poll. */
export interface PollAnswer {
  nothingNew: boolean;
  /** Its clock, for the report if D1 must be asked. */
  at: number;
  /** The newest message that it knows of, which need not be reported; null: the poll should report it. */
  newestAt: string | null;
}

interface Open {
  socket: WebSocket;
  attachment: Attachment;
}

const SOCKETS_A_CUSTOMER = 8;
const LONGEST_FRAME_BYTES = 1_024;
// After a message's second the feed's Worker takes the stamp that shows it: this much later it has.
const MESSAGE_MARGIN_MS = 100;
const RENEW_AGAIN_MS = 60_000;

const CLOSE = {
  tooMany: [1008, `At most ${FRAMES_A_MINUTE} frames a minute are taken.`],
  tooLarge: [1009, `A frame of at most ${LONGEST_FRAME_BYTES} bytes is taken.`],
  expired: [4401, "The token has expired."],
  replaced: [4408, `More than ${SOCKETS_A_CUSTOMER} sockets were opened.`],
} as const;

/**
 * The inbox of one customer: it answers polls when nothing is new, and holds the sockets of the customer's open apps
 * (docs/contract/live.md, 2). It stores nothing of the program. An idle one is not in memory, so whatever must not be
 * forgotten is in its storage, or attached to a socket.
 */
export class Inbox extends DurableObject<Env> {
  #state: InboxState;
  /** When the alarm is set to; undefined as long as this object has not set it. */
  #alarmAt: number | null | undefined;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#state = ctx.storage.kv.get<InboxState>("state") ?? EMPTY_INBOX;
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
  }

  /** Whether a poll with this `check_time` has nothing to answer; false whenever D1 must be asked. */
  poll(checkTime: string): PollAnswer {
    const now = Date.now();
    return {
      nothingNew: hasNothingNew(this.#state, checkTime, now),
      at: now,
      newestAt: knownNewestAt(this.#state, now),
    };
  }

  report(report: Report): void {
    this.#keep(afterReport(this.#state, report, Date.now()));
  }

  /** Takes a notification: from now on D1 must be asked, and open apps get a frame. */
  async notify({ version, kinds, messageWaitMs }: Notification): Promise<void> {
    const now = Date.now();
    const shownAt = now + messageWaitMs + MESSAGE_MARGIN_MS;
    const state = afterNotification(this.#state, version, now);
    // A socket may be on its way, whose app does not get the message by asking after hello.
    this.#keep(kinds.includes("messages") ? afterUnshownMessage(state, shownAt) : state);
    if (this.#sockets().length === 0) return;
    const add = (pending: Pending, kind: ChangeKind) => addChange(pending, kind, kind === "messages" ? shownAt : now);
    this.#pending = kinds.reduce(add, this.#pending);
    await this.#setAlarm();
  }

  /** Opens a socket for a customer whose token has been checked, and who is a listener in D1 by now. */
  override async fetch(request: Request): Promise<Response> {
    const { messageWaitMs, ...connection } = readConnection(request.headers.get(CONNECTION_HEADER) ?? "");
    const { 0: client, 1: server } = new WebSocketPair();
    const open = this.#sockets();
    const order = Math.max(0, ...open.map(({ attachment }) => attachment.order)) + 1;
    for (const { socket } of open.slice(0, Math.max(0, open.length - SOCKETS_A_CUSTOMER + 1))) {
      socket.close(...CLOSE.replaced);
    }
    const now = Date.now();
    this.ctx.acceptWebSocket(server);
    attach(server, { ...connection, order, renewAt: now + RENEW_AFTER_MS, frames: { since: now, count: 0 } });
    // Before anything is waited for, so that no other frame comes first.
    server.send(JSON.stringify({ type: "hello" }));
    // A message of this second may be stored, or notified, already: the app does not get it by asking now.
    const storedShownAt = messageWaitMs === null ? 0 : now + messageWaitMs + MESSAGE_MARGIN_MS;
    for (const shownAt of [storedShownAt, this.#state.messageShownAt]) {
      if (shownAt > now) this.#pending = addChange(this.#pending, "messages", shownAt);
    }
    await this.#setAlarm();
    const headers = new Headers(connection.hasSubprotocol ? { "Sec-WebSocket-Protocol": SUBPROTOCOL } : {});
    return new Response(null, { status: 101, webSocket: client, headers });
  }

  /** Frames of the app are ignored; `ping` is answered without waking this object. */
  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    const bytes = typeof message === "string" ? new TextEncoder().encode(message).length : message.byteLength;
    if (bytes > LONGEST_FRAME_BYTES) socket.close(...CLOSE.tooLarge);
    else if (countFrame(socket, Date.now())) socket.close(...CLOSE.tooMany);
  }

  /** Answers a close frame: without that, the client's own close lasts until it gives up waiting. */
  override async webSocketClose(socket: WebSocket, code: number): Promise<void> {
    socket.close(...(mayBeSent(code) ? [code] : []));
    await this.#setAlarm();
  }

  /** Does whatever is due: frames, sockets whose token has expired, the listener's row. */
  override async alarm(): Promise<void> {
    const now = Date.now();
    this.#alarmAt = null;
    this.#sendFrame(now);
    for (const { socket, attachment } of this.#sockets()) {
      if (expiresAt(attachment) <= now) socket.close(...CLOSE.expired);
    }
    this.#renew(now);
    await this.#setAlarm();
  }

  #sendFrame(now: number): void {
    const { kinds, left } = takeFrame(this.#pending, now);
    if (kinds.length === 0) return;
    this.#pending = left;
    const frame = JSON.stringify({ type: "changed", what: kinds });
    for (const { socket } of this.#sockets()) sendTo(socket, frame);
  }

  /** Renews the listener's row in the background, because no frame may wait for a database that does not answer. */
  #renew(now: number): void {
    const open = this.#sockets();
    const [first] = open;
    if (first === undefined || renewAtOf(open) > now) return;
    // Should this object end meanwhile, it is done in an hour: the row is valid for most of a day.
    this.#renewAt(now + RENEW_AFTER_MS);
    this.ctx.waitUntil(this.#renewRow(first.attachment, now));
  }

  async #renewRow({ customerId }: Attachment, now: number): Promise<void> {
    try {
      await renewListening(new Database(this.env.DB, "first-primary"), customerId, "socket");
    } catch (error) {
      console.error(JSON.stringify({ error: "LISTENER_NOT_RENEWED", cause: error instanceof Error ? error.name : "" }));
      this.#renewAt(now + RENEW_AGAIN_MS);
      await this.#setAlarm();
    }
  }

  #renewAt(renewAt: number): void {
    for (const { socket, attachment } of this.#sockets()) attach(socket, { ...attachment, renewAt });
  }

  /** The open sockets, oldest first. */
  #sockets(): Open[] {
    return this.ctx
      .getWebSockets()
      .filter((socket) => socket.readyState === WebSocket.OPEN)
      .map((socket) => ({ socket, attachment: attachmentOf(socket) }))
      .sort((a, b) => a.attachment.order - b.attachment.order);
  }

  /**
   * An object has one alarm: it is set to the earliest of what is due. Nothing is waited for before, so that it is stored
   * together with what was changed, in one write.
   */
  async #setAlarm(): Promise<void> {
    const open = this.#sockets();
    const frameAt = nextFrameAt(this.#pending);
    const due = [
      ...(frameAt === null ? [] : [frameAt]),
      ...(open.length === 0 ? [] : [renewAtOf(open), ...open.map(({ attachment }) => expiresAt(attachment))]),
    ];
    const earliest = due.length === 0 ? null : Math.min(...due);
    if (earliest === this.#alarmAt) return;
    this.#alarmAt = earliest;
    await (earliest === null ? this.ctx.storage.deleteAlarm() : this.ctx.storage.setAlarm(earliest));
  }

  #keep(state: InboxState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.ctx.storage.kv.put("state", state);
  }

  get #pending(): Pending {
    return this.ctx.storage.kv.get<Pending>("pending") ?? [];
  }

  set #pending(pending: Pending) {
    this.ctx.storage.kv.put("pending", pending);
  }
}

/** Each socket that opens finds the row renewed. */
function renewAtOf(open: readonly Open[]): number {
  return Math.max(...open.map(({ attachment }) => attachment.renewAt));
}

function sendTo(socket: WebSocket, frame: string): void {
  try {
    socket.send(frame);
  } catch {
    // Its connection has just been lost, which must keep nobody else from their frame.
  }
}

/** Whether a close frame may have this code: others say that none came, or that it had none, or are not codes. */
function mayBeSent(code: number): boolean {
  return code >= 1000 && code < 5000 && ![1004, 1005, 1006, 1015].includes(code);
}
