// WS /events: everything that happens at the desk, as it happens, to whoever passes the internal door.
//
// | in                    | out                                                                                    |
// |-----------------------|----------------------------------------------------------------------------------------|
// | ?after=&kind=         | {type:"hello", cursor, gap, heartbeatSeconds}, then {type:"event", cursor, kind, at, text, …} |
// |                       | {type:"heartbeat", cursor} every 25 seconds; {type:"gap", cursor} where some are lost    |
// | {"action":"ping"}     | {type:"pong"}                                                                          |
// | anything else         | {type:"error", code, message}                                                          |

import { errorText } from '../../errors/error-text.ts';
import type { InternalGate } from '../../http/internal-auth.ts';
import type { KitSocket, SocketRoute } from '../../http/web-sockets.ts';
import { DESK_EVENT_KINDS, type DeskEventKind } from '../../trading/books/desk-events.ts';
import { EventFeed, type EventFeedParts, type EventFollower, type EventFrame, HEARTBEAT_MS } from './event-feed.ts';

/** Who has missed more reads the lists anew, which is quicker than to hear all of it. */
export const MAX_MISSED = 2000;
/** Some two hundred events; who has not taken them waits for the next. */
const MAX_BUFFERED_BYTES = 64 * 1024;
const MAX_MESSAGE_BYTES = 4096;
/** Whoever takes nothing for so long reads no more. */
const STALLED_MS = 30_000;
const LOOK_AGAIN_MS = 50;
const TRY_LATER = 1013;
const REFUSED = 1008;
const FAULT = 1011;

const PONG = JSON.stringify({ type: 'pong' });
const MISUNDERSTOOD = JSON.stringify({
  type: 'error',
  code: 'INVALID_ACTION',
  message: 'only {"action":"ping"} is understood here; everything else is asked for in the address',
});

export interface EventSocketParts extends EventFeedParts {
  readonly gate: Pick<InternalGate, 'check'>;
  /** Smaller in tests. */
  readonly stalledMs?: number;
}

export function createEventSocket(parts: EventSocketParts): SocketRoute {
  const feed = new EventFeed(parts);
  return {
    service: 'gateway',
    path: '/events',
    maxMessageBytes: MAX_MESSAGE_BYTES,
    admit: (request) => parts.gate.check(request),
    open(socket, { query }) {
      const kinds = kindsOf(query.get('kind'));
      const client = new EventClient(socket, feed, parts, kinds ?? []);
      if (kinds === undefined) client.refuse(`kind: send some of ${DESK_EVENT_KINDS.join(', ')}, with commas`);
      else void client.begin(query.get('after'));
      return { onText: (text) => socket.sendText(isPing(text) ? PONG : MISUNDERSTOOD), onClose: () => client.leave() };
    },
  };
}

/** All of them where none is named; undefined where one is no kind. */
export function kindsOf(text: string | null): readonly DeskEventKind[] | undefined {
  if (text === null) return DESK_EVENT_KINDS;
  const named = text.split(',').map((word) => DESK_EVENT_KINDS.find((kind) => kind === word));
  return named.every((kind) => kind !== undefined) ? named : undefined;
}

/** Where a client that names a cursor goes on, and whether some of what it missed is lost to it. */
export async function placeOf(
  after: string | null | undefined,
  { bounds, seqOf }: Pick<EventFeedParts['events'], 'bounds' | 'seqOf'>,
  most = MAX_MISSED,
): Promise<{ readonly position: number; readonly gap: boolean }> {
  const { oldest, newest } = await bounds();
  if (after === null || after === undefined) return { position: newest, gap: false };
  const seq = seqOf(after);
  const isKnown = seq !== undefined && seq <= newest && seq >= oldest - 1 && newest - seq <= most;
  return isKnown ? { position: seq, gap: false } : { position: newest, gap: true };
}

class EventClient implements EventFollower {
  readonly #socket: KitSocket;
  readonly #feed: EventFeed;
  readonly #parts: EventSocketParts;
  readonly #kinds: readonly DeskEventKind[];
  #position = 0;
  /** Also until its position is known. */
  #isSending = true;
  #isGone = false;
  #stalledSinceMs: number | undefined;

  constructor(socket: KitSocket, feed: EventFeed, parts: EventSocketParts, kinds: readonly DeskEventKind[]) {
    this.#socket = socket;
    this.#feed = feed;
    this.#parts = parts;
    this.#kinds = kinds;
  }

  /** Never rejects. */
  async begin(after: string | null): Promise<void> {
    try {
      await this.#feed.enter(this);
      const { position, gap } = await placeOf(after, this.#parts.events);
      if (this.#isGone) return;
      this.#position = position;
      this.#say({ type: 'hello', gap, heartbeatSeconds: HEARTBEAT_MS / 1000 });
      this.#send();
    } catch (error) {
      this.#fail(error);
    }
  }

  refuse(reason: string): void {
    this.leave();
    this.#socket.close(REFUSED, reason);
  }

  leave(): void {
    this.#isGone = true;
    this.#feed.leave(this);
  }

  wake(): void {
    if (this.#isSending || this.#isGone) return;
    this.#isSending = true;
    this.#send();
  }

  beat(): void {
    if (!this.#isSending && !this.#isGone) this.#say({ type: 'heartbeat' });
  }

  /** One page in a turn of the event loop, and the next when the client has taken enough of it. */
  #send = (): void => {
    this.#isSending = false;
    if (this.#isGone || this.#position >= this.#feed.newest) return;
    if (this.#socket.bufferedBytes > MAX_BUFFERED_BYTES) return void this.#lookAgain();
    this.#stalledSinceMs = undefined;
    this.#isSending = true;
    const known = this.#feed.known(this.#position);
    if (known.length > 0) this.#sendPage(known);
    else
      this.#feed.read(this.#position).then(
        (page) => this.#sendPage(page),
        (error) => this.#fail(error),
      );
  };

  #sendPage(page: readonly EventFrame[]): void {
    if (this.#isGone) return;
    for (const { seq, kind, frame } of page) {
      this.#position = seq;
      if (this.#kinds.includes(kind)) this.#socket.sendText(frame);
    }
    if (page.length === 0) {
      // What was to come next is forgotten by now.
      this.#position = this.#feed.newest;
      this.#say({ type: 'gap' });
    }
    if (this.#position >= this.#feed.newest) this.#isSending = false;
    else setImmediate(this.#send);
  }

  #lookAgain(): void {
    const { monotonicMs, timers, stalledMs = STALLED_MS } = this.#parts;
    const nowMs = monotonicMs();
    this.#stalledSinceMs ??= nowMs;
    if (nowMs - this.#stalledSinceMs >= stalledMs) {
      this.leave();
      this.#socket.close(TRY_LATER, 'this connection reads too slowly; connect again with ?after= and the last cursor');
      return;
    }
    this.#isSending = true;
    timers.after(LOOK_AGAIN_MS, this.#send);
  }

  /** `cursor` is where a client that comes back goes on. */
  #say(fields: { readonly type: string } & Record<string, unknown>): void {
    this.#socket.sendText(JSON.stringify({ ...fields, cursor: this.#parts.events.cursorOf(this.#position) }));
  }

  #fail(error: unknown): void {
    this.leave();
    this.#parts.onTrouble('the events cannot be read', error);
    this.#socket.close(FAULT, `the events cannot be read now; connect again in a moment: ${errorText(error)}`);
  }
}

function isPing(text: string): boolean {
  try {
    return (JSON.parse(text) as { action?: unknown } | null)?.action === 'ping';
  } catch {
    return false;
  }
}
