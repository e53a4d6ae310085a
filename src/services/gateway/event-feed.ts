// One source of desk events for every socket at /events: what is new is read once, made into a frame once, and kept for a while.
//
// Nothing is queued for a client. Each has a position in the one list, and is sent what lies behind it as fast as it reads; so a
// slow one costs no memory, and one that comes back goes on where it was. While nobody listens, nothing is read at all.

import { every } from '../../timing/every.ts';
import type { Timers } from '../../timing/timers.ts';
import type { DeskEvent, DeskEventKind, DeskEvents } from '../../trading/books/desk-events.ts';
import { tellDeskEvent } from '../../trading/chat/desk-event-words.ts';

/** Commits within this time share one look at the list. */
const LOOK_AFTER_MS = 10;
/** So many are read and made into frames in one turn of the event loop. */
const PAGE = 100;
/** Twice what a client may have missed, so that thousands that come back at once are served from memory. */
const MAX_FRAMES = 4000;
/** Then other work has its turn: a webhook that comes meanwhile waits no longer than this. */
const SLICE_MS = 4;
export const HEARTBEAT_MS = 25_000;

export interface EventFrame {
  readonly seq: number;
  readonly kind: DeskEventKind;
  readonly frame: Buffer;
}

/** Somebody who follows. */
export interface EventFollower {
  /** There is more behind its position. */
  wake(): void;
  beat(): void;
}

export interface EventFeedParts {
  readonly events: Pick<DeskEvents, 'after' | 'bounds' | 'cursorOf' | 'seqOf' | 'watch'>;
  readonly timers: Timers;
  readonly monotonicMs: () => number;
  /** The list cannot be read. */
  readonly onTrouble: (what: string, error: unknown) => void;
}

export class EventFeed {
  readonly #parts: EventFeedParts;
  readonly #followers = new Set<EventFollower>();
  readonly #frames = new Map<number, EventFrame>();
  /** Pages that are being read, by the position before them. */
  readonly #readings = new Map<number, Promise<readonly EventFrame[]>>();
  #newest = 0;
  #isLookDue = false;
  #looking = Promise.resolve();
  #started = Promise.resolve();
  #stop = (): void => {};

  constructor(parts: EventFeedParts) {
    this.#parts = parts;
  }

  /** The number of the newest event that is known here. */
  get newest(): number {
    return this.#newest;
  }

  /** Resolves when the newest event is known. Whoever it rejects for leaves again. */
  enter(follower: EventFollower): Promise<void> {
    if (this.#followers.size === 0) this.#started = this.#start();
    this.#followers.add(follower);
    return this.#started;
  }

  leave(follower: EventFollower): void {
    if (!this.#followers.delete(follower) || this.#followers.size > 0) return;
    this.#stop();
    this.#frames.clear();
  }

  /** The next frames behind a position that are in memory, so that many clients are served without a pause between them. */
  known(after: number): readonly EventFrame[] {
    const known: EventFrame[] = [];
    for (let seq = after + 1; seq <= this.#newest && known.length < PAGE; seq++) {
      const frame = this.#frames.get(seq);
      if (frame === undefined) break;
      known.push(frame);
    }
    return known;
  }

  /**
   * The next frames behind a position from the list; none where there are none, or those that were there are forgotten.
   * Whoever asks for the same page while it is read shares the reading.
   */
  read(after: number): Promise<readonly EventFrame[]> {
    const reading = this.#readings.get(after) ?? this.#read(after).finally(() => this.#readings.delete(after));
    this.#readings.set(after, reading);
    return reading;
  }

  async #read(after: number): Promise<readonly EventFrame[]> {
    const read = (await this.#parts.events.after(after, PAGE)).map((event) => this.#frameOf(event));
    for (const frame of read) this.#frames.set(frame.seq, frame);
    for (const seq of this.#frames.keys()) {
      if (this.#frames.size <= MAX_FRAMES) break;
      this.#frames.delete(seq);
    }
    return read;
  }

  #frameOf(event: DeskEvent): EventFrame {
    const told = tellDeskEvent(event);
    const fields = { type: 'event', cursor: this.#parts.events.cursorOf(event.seq), ...told };
    return { seq: event.seq, kind: told.kind, frame: Buffer.from(JSON.stringify(fields)) };
  }

  async #start(): Promise<void> {
    const { events, timers } = this.#parts;
    const unwatch = events.watch(() => this.#lookSoon());
    const endBeats = every(HEARTBEAT_MS, () => this.#each((follower) => follower.beat()), timers);
    this.#stop = () => {
      unwatch();
      endBeats();
    };
    // After it is watched: what is committed meanwhile is either in the number or looked for.
    this.#learn((await events.bounds()).newest);
  }

  /** Answers may overtake each other, and numbers only grow. */
  #learn(newest: number): void {
    this.#newest = Math.max(this.#newest, newest);
  }

  #lookSoon(): void {
    if (this.#isLookDue) return;
    this.#isLookDue = true;
    const look = async (): Promise<void> => {
      await this.#looking;
      this.#isLookDue = false;
      this.#looking = this.#look();
    };
    this.#parts.timers.after(LOOK_AFTER_MS, () => void look());
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    if (this.#followers.size === 0) return;
    try {
      const { newest } = await this.#parts.events.bounds();
      if (newest <= this.#newest) return;
      // Once, before everybody asks for it. Whoever cannot read it says so himself.
      await this.read(this.#newest).catch(() => []);
      this.#learn(newest);
    } catch (error) {
      this.#parts.onTrouble('the events cannot be read', error);
      return;
    }
    this.#each((follower) => follower.wake());
  }

  /** A slice of them at a time. */
  #each(tell: (follower: EventFollower) => void): void {
    const followers = [...this.#followers];
    const slice = (from: number): void => {
      const endMs = this.#parts.monotonicMs() + SLICE_MS;
      for (let at = from; at < followers.length; at++) {
        if (this.#parts.monotonicMs() >= endMs) return void setImmediate(() => slice(at));
        const follower = followers[at] as EventFollower;
        if (this.#followers.has(follower)) tell(follower);
      }
    };
    slice(0);
  }
}
