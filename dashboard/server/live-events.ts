// What happens at the desk, as it happens: the newest events, and a word to all answers that are shown that they may be old. A lost
// connection is made again from the last event that was heard, so nothing is missed and nothing comes twice.

import { useEffect, useState } from 'preact/hooks';
import type { Result } from './answers.ts';
import { ask, tellShutOut } from './ask.ts';
import { LastingSocket } from './lasting-socket.ts';
import { refreshAnswers } from './use-answer.ts';

export interface DeskEvent {
  /** Its place; the next connection goes on from the last one. */
  readonly cursor: string;
  readonly at: number;
  readonly kind: string;
  /** One plain sentence. */
  readonly text: string;
  readonly requestId?: string;
  readonly refusalId?: string;
  readonly deploymentId?: string;
  readonly market?: string;
  readonly step?: string;
  readonly state?: string;
}

interface History {
  /** Newest first. */
  readonly events: readonly DeskEvent[];
  readonly cursor: string;
}

/** `pong` has no place. */
type Frame =
  | ({ readonly type: 'event' } & DeskEvent)
  | { readonly type: 'hello'; readonly cursor: string; readonly gap: boolean }
  | { readonly type: 'heartbeat' | 'gap'; readonly cursor: string }
  | { readonly type: 'pong' };

const MOST = 100;
/** Samples of equity are no news. */
const KINDS = 'trade,position,protection,refusal,signal,change,alarm,deployment,start';
const READ_AGAIN_MS = 2_000;
/** How the server closes what a session has opened, when that session is over. */
const SESSION_ENDED = 4401;
/** A burst of events is one reason to ask again. */
const SETTLE_MS = 300;

type Listener = (event: DeskEvent | undefined) => void;

export class LiveEvents {
  /** Newest first. */
  events: readonly DeskEvent[] = [];
  isLive = false;
  readonly #listeners = new Set<Listener>();
  #socket: LastingSocket | undefined;
  #cursor: string | undefined;
  /** The question for the newest events that is under way or waits for its next try; there is one at a time. */
  #reading: AbortController | undefined;
  #settling: ReturnType<typeof setTimeout> | undefined;

  /** Connected while somebody listens; returns how to stop. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) void this.#read();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#end();
    };
  }

  /** The newest events, asked for until they are told. The connection goes on from where the first answer ends. */
  async #read(): Promise<void> {
    this.#reading?.abort();
    const reading = new AbortController();
    this.#reading = reading;
    const [newest] = this.events;
    try {
      const { signal } = reading;
      const { result } = await ask<Result<History>>(`/events?limit=${MOST}&kind=${KINDS}`, { signal });
      if (signal.aborted) return;
      // What came while the answer was on its way is newer than all that it tells.
      const at = newest === undefined ? -1 : this.events.indexOf(newest);
      const heard = at === -1 ? this.events : this.events.slice(0, at);
      const told = new Set(result.events.map(({ cursor }) => cursor));
      this.events = [...heard.filter(({ cursor }) => !told.has(cursor)), ...result.events].slice(0, MOST);
      this.#cursor ??= result.cursor;
      this.#socket ??= this.#connect();
      this.#tell();
    } catch {
      setTimeout(() => !reading.signal.aborted && void this.#read(), READ_AGAIN_MS);
    }
  }

  #connect(): LastingSocket {
    return new LastingSocket({
      path: () => `/events?kind=${KINDS}&after=${this.#cursor}`,
      onFrame: (frame) => this.#hear(frame as Frame),
      onLost: (code) => {
        this.isLive = false;
        this.#tell();
        if (code === SESSION_ENDED) tellShutOut();
      },
    });
  }

  #hear(frame: Frame): void {
    if (frame.type === 'pong') return;
    this.#cursor = frame.cursor;
    if (frame.type === 'hello') {
      this.isLive = true;
      this.#tell();
    }
    if (frame.type === 'gap' || (frame.type === 'hello' && frame.gap)) this.#readAnew();
    if (frame.type !== 'event') return;
    this.events = [frame, ...this.events].slice(0, MOST);
    this.#tell(frame);
    this.#settling ??= setTimeout(() => {
      this.#settling = undefined;
      refreshAnswers();
    }, SETTLE_MS);
  }

  /** Some are lost: what is shown is read anew. */
  #readAnew(): void {
    refreshAnswers();
    void this.#read();
  }

  #end(): void {
    this.#reading?.abort();
    this.#socket?.close();
    this.#socket = undefined;
    // Whoever listens next, perhaps after another login, begins anew.
    this.#cursor = undefined;
    this.events = [];
    this.isLive = false;
  }

  #tell(event?: DeskEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

const live = new LiveEvents();

export function useLiveEvents(): { readonly events: readonly DeskEvent[]; readonly isLive: boolean } {
  const [, setTurn] = useState(0);
  useEffect(() => live.listen(() => setTurn((turn) => turn + 1)), []);
  return live;
}

/** Called with each event as it happens, and not with those of the past. Returns how to stop. */
export const followEvents = (follow: (event: DeskEvent) => void): (() => void) =>
  live.listen((event) => event !== undefined && follow(event));
