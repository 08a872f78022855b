import { DurableObject } from "cloudflare:workers";
import { SUBPROTOCOL } from "../auth/subprotocols.ts";
import { Database } from "../db/database.ts";
import { addChange, type ChangeKind, nextFrameAt, type Pending, takeFrame } from "./frames.ts";
import {
  afterNotification,
  afterSubscription,
  deletableAt,
  EMPTY_INBOX,
  endOf,
  hasNothingNew,
  type InboxState,
  isSubscribed,
  type Subscription,
} from "./inbox-state.ts";
import { beginListening } from "./queries.ts";
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

/** Something that concerns the customer has changed. */
export interface Notification {
  kinds: readonly ChangeKind[];
  /** The time of the newest message that it is about; empty where it is about none. */
  newestAt: string;
  /** Milliseconds until its messages are shown, from its receipt: clocks of two machines differ. */
  messageWaitMs: number;
  /** Whether the customer was erased. */
  isErased: boolean;
}

/** How an inbox answers a poll. */
export interface PollAnswer {
  nothingNew: boolean;
  isSubscribed: boolean;
  /** Its clock, for a subscription. */
  at: number;
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
 * (docs/contract/live.md). It stores nothing of the program. An idle one is not in memory, so whatever must not be
 * forgotten is in its storage, or attached to a socket.
 */
export class Inbox extends DurableObject<Env> {
  #state: InboxState;
  #alarmAt: number | null = null;
  /** While a renewal is under way, or has failed: when to try again. */
  #renewAgainAt = 0;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#state = ctx.storage.kv.get<InboxState>("state") ?? EMPTY_INBOX;
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    ctx.blockConcurrencyWhile(async () => {
      this.#alarmAt = await ctx.storage.getAlarm();
    });
  }

  /** Whether a poll with this `check_time` has nothing to answer; false whenever D1 must be asked. It writes nothing. */
  poll(checkTime: string): PollAnswer {
    const now = Date.now();
    const nothingNew = hasNothingNew(this.#state, checkTime, now);
    return { nothingNew, isSubscribed: isSubscribed(this.#state, now), at: now };
  }

  async subscribe(subscription: Subscription): Promise<void> {
    this.#keep(afterSubscription(this.#state, subscription, Date.now()));
    await this.#setAlarm();
  }

  /** Takes a notification: from now on D1 must be asked for its message, and open apps get a frame. */
  async notify(notification: Notification): Promise<void> {
    const now = Date.now();
    if (notification.isErased) await this.#deleteAll();
    const shownAt = now + notification.messageWaitMs;
    this.#keep(afterNotification(this.#state, { ...notification, shownAt }, now));
    if (this.#sockets().length > 0) {
      const readyAt = (kind: ChangeKind) => (kind === "messages" ? frameAt(shownAt) : 0);
      const add = (pending: Pending, kind: ChangeKind) => addChange(pending, kind, Math.max(now, readyAt(kind)));
      this.#pending = notification.kinds.reduce(add, this.#pending);
    }
    await this.#setAlarm();
  }

  /** Opens a socket for a customer whose token has been checked, and who is a listener in D1 by now. */
  override async fetch(request: Request): Promise<Response> {
    const { subscription, messageWaitMs, ...connection } = readConnection(request.headers.get(CONNECTION_HEADER) ?? "");
    const { 0: client, 1: server } = new WebSocketPair();
    const open = this.#sockets();
    const order = Math.max(0, ...open.map(({ attachment }) => attachment.order)) + 1;
    for (const { socket } of open.slice(0, Math.max(0, open.length - SOCKETS_A_CUSTOMER + 1))) {
      socket.close(...CLOSE.replaced);
    }
    const now = Date.now();
    this.ctx.acceptWebSocket(server);
    attach(server, { ...connection, order, frames: { since: now, count: 0 } });
    // Before anything is waited for, so that no other frame comes first.
    server.send(JSON.stringify({ type: "hello" }));
    this.#keep(afterSubscription(this.#state, subscription, now));
    // A message of this second may be stored, or notified, already: the app does not get it by asking now.
    const storedShownAt = messageWaitMs === null ? 0 : now + messageWaitMs;
    for (const readyAt of [storedShownAt, this.#state.shownAt].map(frameAt)) {
      if (readyAt > now) this.#pending = addChange(this.#pending, "messages", readyAt);
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
  override webSocketClose(socket: WebSocket, code: number): void {
    socket.close(...(mayBeSent(code) ? [code] : []));
  }

  /** Does whatever is due: frames, sockets whose token has expired, the subscription, and in the end deleting it all. */
  override async alarm(): Promise<void> {
    const now = Date.now();
    this.#alarmAt = null;
    this.#sendFrame(now);
    for (const { socket, attachment } of this.#sockets()) {
      if (expiresAt(attachment) <= now) socket.close(...CLOSE.expired);
    }
    this.#renew(now);
    const isOver = this.#sockets().length === 0 && this.#pending.length === 0 && (deletableAt(this.#state) ?? 0) <= now;
    await (isOver ? this.#deleteAll() : this.#setAlarm());
  }

  #sendFrame(now: number): void {
    const { kinds, left } = takeFrame(this.#pending, now);
    if (kinds.length === 0) return;
    this.#pending = left;
    const frame = JSON.stringify({ type: "changed", what: kinds });
    for (const { socket } of this.#sockets()) sendTo(socket, frame);
  }

  /** Subscribes anew in the background, because no frame may wait for a database that does not answer. */
  #renew(now: number): void {
    const [first] = this.#sockets();
    if (first === undefined || now < this.#renewAt()) return;
    this.#renewAgainAt = now + RENEW_AGAIN_MS;
    this.ctx.waitUntil(this.#subscribeAnew(first.attachment.customerId, now));
  }

  async #subscribeAnew(customerId: string, at: number): Promise<void> {
    try {
      const { newestAt } = await beginListening(new Database(this.env.DB, "first-primary"), customerId);
      await this.subscribe({ newestAt, at });
    } catch (error) {
      console.error(JSON.stringify({ error: "LISTENER_NOT_RENEWED", cause: error instanceof Error ? error.name : "" }));
    }
  }

  /** When to subscribe anew while a socket is open. The sockets of who was erased have no subscription, and need none. */
  #renewAt(): number {
    const { subscription } = this.#state;
    return subscription === null ? Number.POSITIVE_INFINITY : Math.max(endOf(subscription), this.#renewAgainAt);
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
   * An object has one alarm. One that is set for an earlier time stays, and sets the next, so that few are written. Nothing
   * is waited for before, so that it is stored together with what was changed.
   */
  async #setAlarm(): Promise<void> {
    const open = this.#sockets();
    const due = [nextFrameAt(this.#pending), deletableAt(this.#state)].filter((at) => at !== null);
    if (open.length > 0) due.push(this.#renewAt(), ...open.map(({ attachment }) => expiresAt(attachment)));
    const earliest = Math.min(...due);
    if (earliest >= (this.#alarmAt ?? Number.POSITIVE_INFINITY)) return;
    this.#alarmAt = earliest;
    await this.ctx.storage.setAlarm(earliest);
  }

  /** With the alarm. */
  async #deleteAll(): Promise<void> {
    this.#state = EMPTY_INBOX;
    this.#alarmAt = null;
    await this.ctx.storage.deleteAll();
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
    if (pending.length === 0) this.ctx.storage.kv.delete("pending");
    else this.ctx.storage.kv.put("pending", pending);
  }
}

const frameAt = (shownAt: number) => shownAt + MESSAGE_MARGIN_MS;

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
