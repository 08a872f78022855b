import { DurableObject } from "cloudflare:workers";
import { Database } from "../db/database.ts";
import { utf8Bytes } from "../values/text.ts";
import {
  type Attachment,
  addChange,
  afterNotification,
  afterSubscription,
  deletableAt,
  EMPTY_INBOX,
  endOf,
  expiresAt,
  type InboxState,
  isSubscribed,
  nextFrameAt,
  nothingNew,
  type PendingChanges,
  takeFrame,
} from "./inbox-state.ts";
import { beginListening } from "./listeners.ts";
import {
  CHANGE_KINDS,
  CONNECTION_HEADER,
  type Notification,
  type PollAnswer,
  readConnection,
  type Subscription,
} from "./protocol.ts";

interface OpenSocket extends Attachment {
  socket: WebSocket;
}

const SOCKETS_A_CUSTOMER = 8;
const LONGEST_FRAME_BYTES = 1_024;
const MINUTE_MS = 60_000;
// Each frame wakes the object, which is billed for it.
const FRAMES_A_MINUTE = 60;
// The Worker of a feed request shows a message after the second of the message is over. It needs this long for that.
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
 * (docs/contract/live.md). It stores no data of the program. An idle object loses its memory, so its state is in its storage
 * or attached to sockets.
 */
export class Inbox extends DurableObject<Env> {
  #state: InboxState;
  #alarmAt: number | null = null;
  /** When to renew the subscription again, if a renewal has failed. */
  #renewAgainAt = 0;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#state = ctx.storage.kv.get<InboxState>("state") ?? EMPTY_INBOX;
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    ctx.blockConcurrencyWhile(async () => {
      this.#alarmAt = await ctx.storage.getAlarm();
    });
  }

  /** Whether the answer to a poll with this `check_time` is empty. It writes nothing. */
  poll(checkTime: string): PollAnswer {
    const now = Date.now();
    return {
      nothingNew: nothingNew(this.#state, checkTime, now),
      isSubscribed: isSubscribed(this.#state, now),
      at: now,
    };
  }

  async subscribe(subscription: Subscription): Promise<void> {
    this.#store(afterSubscription(this.#state, subscription, Date.now()));
    await this.#setAlarm();
  }

  /** Takes a notification. From now on polls ask D1, and open apps get a frame. */
  async notify({ kinds, newestAt, messageWaitMs }: Notification): Promise<void> {
    const now = Date.now();
    if (kinds.includes("erased")) await this.#deleteAll();
    const shownAt = now + messageWaitMs;
    this.#store(afterNotification(this.#state, { newestAt, shownAt }, now));
    const changed = this.#sockets().length === 0 ? [] : CHANGE_KINDS.filter((kind) => kinds.includes(kind));
    for (const kind of changed) {
      const readyAt = kind === "messages" ? Math.max(now, frameAt(shownAt)) : now;
      this.#pendingChanges = addChange(this.#pendingChanges, kind, readyAt);
    }
    await this.#setAlarm();
  }

  /** Opens a socket for a customer whose token has been checked, and who is a listener in D1. */
  override async fetch(request: Request): Promise<Response> {
    const { subscription, messageWaitMs, ...connection } = readConnection(request.headers.get(CONNECTION_HEADER) ?? "");
    const { 0: client, 1: server } = new WebSocketPair();
    const openSockets = this.#sockets();
    const tooMany = Math.max(0, openSockets.length - SOCKETS_A_CUSTOMER + 1);
    for (const { socket } of openSockets.slice(0, tooMany)) socket.close(...CLOSE.replaced);
    const now = Date.now();
    this.ctx.acceptWebSocket(server);
    const order = (openSockets.at(-1)?.order ?? 0) + 1;
    server.serializeAttachment({ ...connection, order, frames: { since: now, count: 0 } } satisfies Attachment);
    // `hello` is sent before the first `await`, so that no other frame comes first.
    server.send(JSON.stringify({ type: "hello" }));
    this.#store(afterSubscription(this.#state, subscription, now));
    // A message of the current second may be stored or notified already, but an app that polls now does not get it yet. So a
    // frame follows once the message is shown.
    const storedShownAt = messageWaitMs === null ? 0 : now + messageWaitMs;
    for (const readyAt of [storedShownAt, this.#state.shownAt].map(frameAt)) {
      if (readyAt > now) this.#pendingChanges = addChange(this.#pendingChanges, "messages", readyAt);
    }
    await this.#setAlarm();
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Frames of the app are ignored; `ping` is answered without waking this object. */
  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    const bytes = typeof message === "string" ? utf8Bytes(message) : message.byteLength;
    const { frames, ...attachment } = attachmentOf(socket);
    const now = Date.now();
    const [since, count] = now - frames.since >= MINUTE_MS ? [now, 1] : [frames.since, frames.count + 1];
    socket.serializeAttachment({ ...attachment, frames: { since, count } } satisfies Attachment);
    if (bytes > LONGEST_FRAME_BYTES) socket.close(...CLOSE.tooLarge);
    else if (count > FRAMES_A_MINUTE) socket.close(...CLOSE.tooMany);
  }

  /** Answers a close frame. Without an answer the client waits for it, and then reports 1006. */
  override webSocketClose(socket: WebSocket, code: number): void {
    socket.close(...(mayBeSent(code) ? [code] : []));
  }

  /** Does what is due: sends a frame, closes sockets with expired tokens, renews the subscription, or deletes the inbox. */
  override async alarm(): Promise<void> {
    const now = Date.now();
    this.#alarmAt = null;
    this.#sendFrame(now);
    const expiredSockets = this.#sockets().filter((socket) => expiresAt(socket) <= now);
    for (const { socket } of expiredSockets) socket.close(...CLOSE.expired);
    this.#renew(now);
    const isOver =
      this.#sockets().length === 0 && this.#pendingChanges.length === 0 && (deletableAt(this.#state) ?? 0) <= now;
    await (isOver ? this.#deleteAll() : this.#setAlarm());
  }

  #sendFrame(now: number): void {
    const { kinds, laterChanges } = takeFrame(this.#pendingChanges, now);
    if (kinds.length === 0) return;
    this.#pendingChanges = laterChanges;
    const frame = JSON.stringify({ type: "changed", what: kinds });
    for (const { socket } of this.#sockets()) {
      try {
        socket.send(frame);
      } catch {
        // The connection of this socket has just been lost. The other sockets must still get their frame.
      }
    }
  }

  /** Subscribes again in the background, because frames must not wait for a database that does not answer. */
  #renew(at: number): void {
    const [first] = this.#sockets();
    if (first === undefined || at < this.#renewAt()) return;
    this.#renewAgainAt = at + RENEW_AGAIN_MS;
    const renewing = beginListening(new Database(this.env.DB, "first-primary"), first.customerId)
      .then(({ newestAt }) => this.subscribe({ newestAt, at }))
      .catch((error: unknown) => {
        const cause = error instanceof Error ? error.name : "";
        console.error(JSON.stringify({ error: "LISTENER_NOT_RENEWED", cause }));
      });
    this.ctx.waitUntil(renewing);
  }

  /** When to subscribe again while a socket is open. An erased customer's inbox has no subscription, and needs none. */
  #renewAt(): number {
    const { subscription } = this.#state;
    return subscription === null ? Number.POSITIVE_INFINITY : Math.max(endOf(subscription), this.#renewAgainAt);
  }

  /** The open sockets, oldest first. */
  #sockets(): OpenSocket[] {
    return this.ctx
      .getWebSockets()
      .filter((socket) => socket.readyState === WebSocket.OPEN)
      .map((socket) => ({ socket, ...attachmentOf(socket) }))
      .sort((a, b) => a.order - b.order);
  }

  /**
   * Sets the one alarm of this object. An earlier alarm stays, and sets the next one, so that few are written. The caller must
   * not `await` anything between its change of the state and this, so that both are stored together.
   */
  async #setAlarm(): Promise<void> {
    const openSockets = this.#sockets();
    const due = [nextFrameAt(this.#pendingChanges), deletableAt(this.#state)].filter((at) => at !== null);
    if (openSockets.length > 0) due.push(this.#renewAt(), ...openSockets.map(expiresAt));
    const earliest = Math.min(...due);
    if (earliest >= (this.#alarmAt ?? Number.POSITIVE_INFINITY)) return;
    this.#alarmAt = earliest;
    await this.ctx.storage.setAlarm(earliest);
  }

  async #deleteAll(): Promise<void> {
    this.#state = EMPTY_INBOX;
    this.#alarmAt = null;
    await this.ctx.storage.deleteAll();
  }

  #store(state: InboxState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.ctx.storage.kv.put("state", state);
  }

  get #pendingChanges(): PendingChanges {
    return this.ctx.storage.kv.get<PendingChanges>("pending") ?? [];
  }

  set #pendingChanges(pending: PendingChanges) {
    if (pending.length === 0) this.ctx.storage.kv.delete("pending");
    else this.ctx.storage.kv.put("pending", pending);
  }
}

const frameAt = (shownAt: number) => shownAt + MESSAGE_MARGIN_MS;

function attachmentOf(socket: WebSocket): Attachment {
  return socket.deserializeAttachment() as Attachment;
}

/** Whether a close frame may have this code. The others are reserved or out of range (RFC 6455, 7.4). */
function mayBeSent(code: number): boolean {
  return code >= 1000 && code < 5000 && ![1004, 1005, 1006, 1015].includes(code);
}
