import { DurableObject } from "cloudflare:workers";
import { isRevoked } from "../auth/token.ts";
import { signBookmark } from "../db/bookmarks.ts";
import { Database } from "../db/database.ts";
import { utf8Bytes } from "../values/text.ts";
import {
  type Attachment,
  afterNotification,
  afterSubscription,
  bookmarkOf,
  deletableAt,
  EMPTY_INBOX,
  expiresAt,
  type InboxState,
  isSubscribed,
  nextAlarm,
  nothingNew,
} from "./inbox-state.ts";
import { beginListening } from "./listeners.ts";
import { type Notification, type PollAnswer, readConnection, type Subscription } from "./protocol.ts";

type OpenSocket = Attachment & { socket: WebSocket };

const SOCKETS_A_CUSTOMER = 8;
const LONGEST_FRAME_BYTES = 1_024;
const MINUTE_MS = 60_000;
// Each frame wakes the object, which is billed for it.
const FRAMES_A_MINUTE = 60;

const CLOSE = {
  tooMany: [1008, `At most ${FRAMES_A_MINUTE} frames a minute are taken.`],
  tooLarge: [1009, `A frame of at most ${LONGEST_FRAME_BYTES} bytes is taken.`],
  expired: [4401, "The token has expired."],
  revoked: [4401, "The token was revoked."],
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
  #isRenewing = false;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#state = ctx.storage.kv.get<InboxState>("state") ?? EMPTY_INBOX;
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    // No event comes before this has ended. Otherwise it could set an alarm, which the answer would then replace.
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
      bookmark: bookmarkOf(this.#state, now),
      at: now,
    };
  }

  async subscribe(subscription: Subscription): Promise<void> {
    this.#store(afterSubscription(this.#state, subscription, Date.now()));
    await this.#setAlarm();
  }

  /** Takes a notification. From now on polls ask D1, and open apps get a frame. */
  async notify(notification: Notification): Promise<void> {
    const hasSockets = this.#sockets().length > 0;
    this.#store(afterNotification(this.#state, notification, { hasSockets, now: Date.now() }));
    if (notification.topics.includes("erased")) {
      await this.#sendFrame();
      await this.#deleteAll();
    }
    await this.#setAlarm();
  }

  /** Opens a socket for a customer whose token has been checked, and who is a listener in D1. */
  override async fetch(request: Request): Promise<Response> {
    const { subscription, ...connection } = readConnection(request.headers);
    await this.subscribe(subscription);
    const bookmark = await this.#signBookmark();
    // Nothing is awaited until `hello` is sent, so that no other frame comes first, and no change comes in between.
    const { 0: client, 1: server } = new WebSocketPair();
    const openSockets = this.#sockets();
    for (const { socket } of openSockets.slice(0, 1 - SOCKETS_A_CUSTOMER)) close(socket, CLOSE.replaced);
    this.ctx.acceptWebSocket(server);
    const order = (openSockets.at(-1)?.order ?? 0) + 1;
    server.serializeAttachment({ ...connection, order, frames: { since: Date.now(), count: 0 } } satisfies Attachment);
    send(server, { type: "hello", bookmark });
    await this.#setAlarm();
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Frames of the app are not read, only counted; `ping` is answered without waking this object. */
  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    const bytes = typeof message === "string" ? utf8Bytes(message) : message.byteLength;
    const { frames, ...attachment } = attachmentOf(socket);
    const now = Date.now();
    const [since, count] = now - frames.since >= MINUTE_MS ? [now, 1] : [frames.since, frames.count + 1];
    socket.serializeAttachment({ ...attachment, frames: { since, count } } satisfies Attachment);
    if (bytes > LONGEST_FRAME_BYTES) close(socket, CLOSE.tooLarge);
    else if (count > FRAMES_A_MINUTE) close(socket, CLOSE.tooMany);
  }

  /** Answers a close frame. Without an answer the client waits for it, and then reports 1006. */
  override webSocketClose(socket: WebSocket, code: number): void {
    socket.close(...(mayBeSent(code) ? [code] : []));
  }

  /** Does what is due: sends a frame, closes sockets with bad tokens, renews the subscription, or deletes the inbox. */
  override async alarm(): Promise<void> {
    const now = Date.now();
    this.#alarmAt = null;
    if ((this.#state.frame?.dueAt ?? Infinity) <= now) await this.#sendFrame();
    this.#closeRefused(now);
    this.#renew(now);
    const isOver = this.#sockets().length === 0 && this.#state.frame === null && deletableAt(this.#state) <= now;
    await (isOver ? this.#deleteAll() : this.#setAlarm());
  }

  /** Sends the pending frame. Signing awaits, so a notification may come meanwhile: then its topics are in this frame. */
  async #sendFrame(): Promise<void> {
    const bookmark = await this.#signBookmark();
    const { frame } = this.#state;
    if (frame === null) return;
    this.#store({ ...this.#state, frame: null });
    this.#closeRefused(Date.now());
    for (const { socket } of this.#sockets()) send(socket, { type: "changed", what: frame.topics, bookmark });
  }

  /** Closes the sockets whose tokens are not good any more. */
  #closeRefused(now: number): void {
    for (const open of this.#sockets()) {
      const names = [open.customerId, ...(open.tokenNames ?? [])];
      if (isRevoked(names, this.env)) close(open.socket, CLOSE.revoked);
      else if (expiresAt(open) <= now) close(open.socket, CLOSE.expired);
    }
  }

  /** Signs the bookmark, anew if it changes meanwhile: it must show all that a frame announces. */
  async #signBookmark(): Promise<string> {
    const bookmark = bookmarkOf(this.#state, Date.now());
    const signedBookmark = await signBookmark(bookmark, this.env);
    return bookmark === bookmarkOf(this.#state, Date.now()) ? signedBookmark : this.#signBookmark();
  }

  /** Subscribes again in the background, because frames must not wait for a database that does not answer. */
  #renew(at: number): void {
    const [first] = this.#sockets();
    const isDue = this.#state.subscription !== null && !isSubscribed(this.#state, at);
    if (first === undefined || !isDue || this.#isRenewing) return;
    this.#isRenewing = true;
    const renewing = beginListening(new Database(this.env.DB, "first-primary"), first.customerId, at)
      .then(({ subscription }) => this.subscribe(subscription))
      .catch((error: unknown) => {
        const cause = error instanceof Error ? error.name : "";
        console.error(JSON.stringify({ error: "LISTENER_NOT_RENEWED", cause }));
      })
      .finally(() => {
        this.#isRenewing = false;
      });
    this.ctx.waitUntil(renewing);
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
    const alarmAt = nextAlarm(this.#state, this.#sockets(), Date.now());
    if (alarmAt >= (this.#alarmAt ?? Infinity)) return;
    this.#alarmAt = alarmAt;
    await this.ctx.storage.setAlarm(alarmAt);
  }

  async #deleteAll(): Promise<void> {
    this.#state = EMPTY_INBOX;
    this.#alarmAt = null;
    await this.ctx.storage.deleteAll();
  }

  #store(state: InboxState): void {
    this.#state = state;
    this.ctx.storage.kv.put("state", state);
  }
}

function send(socket: WebSocket, frame: object): void {
  try {
    socket.send(JSON.stringify(frame));
  } catch {
    // The connection of this socket has just been lost. The other sockets must still get their frames.
  }
}

/** Announces a close, because the close itself may arrive ten seconds late. */
function close(socket: WebSocket, [code, reason]: readonly [code: number, reason: string]): void {
  send(socket, { type: "closing", code });
  socket.close(code, reason);
}

const attachmentOf = (socket: WebSocket) => socket.deserializeAttachment() as Attachment;

/** Whether a close frame may have this code. The others are reserved or out of range (RFC 6455, 7.4). */
function mayBeSent(code: number): boolean {
  return code >= 1000 && code < 5000 && ![1004, 1005, 1006, 1015].includes(code);
}
