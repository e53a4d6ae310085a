// What happens at the desk, as it happens: the newest events, and a word to all answers that are shown that they may be old. A lost
// connection is made again from the last event that was heard, so nothing is missed and nothing comes twice.

import { useEffect, useState } from 'preact/hooks';
import type { Result } from './answers.ts';
import { ask } from './ask.ts';
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
  readonly step?: string;
  readonly state?: string;
}

interface History {
  /** Newest first. */
  readonly events: readonly DeskEvent[];
  readonly cursor: string;
}

type Frame =
  | ({ readonly type: 'event' } & DeskEvent)
  | { readonly type: 'hello'; readonly cursor: string; readonly gap: boolean }
  | { readonly type: 'heartbeat' | 'gap'; readonly cursor: string };

const MOST = 100;
/** Samples of equity are no news. */
const KINDS = 'trade,position,protection,refusal,signal,change,alarm,deployment,start';
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** The server says something every 25 seconds. */
const SILENT_MS = 60_000;
/** A burst of events is one reason to ask again. */
const SETTLE_MS = 300;

type Listener = (event: DeskEvent | undefined) => void;

class LiveEvents {
  /** Newest first. */
  events: readonly DeskEvent[] = [];
  isLive = false;
  readonly #listeners = new Set<Listener>();
  #socket: WebSocket | undefined;
  #cursor: string | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #settling: ReturnType<typeof setTimeout> | undefined;

  /** Connected while somebody listens; returns how to stop. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) void this.#begin();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#end();
    };
  }

  async #begin(): Promise<void> {
    try {
      const { result } = await ask<Result<History>>(`/events?limit=${MOST}&kind=${KINDS}`);
      this.events = result.events;
      this.#cursor = result.cursor;
      this.#tell();
      this.#connect();
    } catch {
      this.#again();
    }
  }

  #connect(): void {
    if (this.#listeners.size === 0) return;
    const address = new URL(`/events?kind=${KINDS}&after=${this.#cursor}`, location.href);
    address.protocol = address.protocol.replace('http', 'ws');
    const socket = new WebSocket(address);
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#hear(JSON.parse(String(data)) as Frame);
    socket.onclose = () => this.#socket === socket && this.#again();
    this.#expectWord();
  }

  #hear(frame: Frame): void {
    this.#expectWord();
    this.#cursor = frame.cursor;
    if (frame.type === 'hello') {
      this.#pauseMs = FIRST_PAUSE_MS;
      this.isLive = true;
      this.#tell();
    }
    if (frame.type === 'gap' || (frame.type === 'hello' && frame.gap)) void this.#reread();
    if (frame.type !== 'event') return;
    this.events = [frame, ...this.events].slice(0, MOST);
    this.#tell(frame);
    this.#settling ??= setTimeout(() => {
      this.#settling = undefined;
      refreshAnswers();
    }, SETTLE_MS);
  }

  /** Some are lost: what is shown is read anew. */
  async #reread(): Promise<void> {
    refreshAnswers();
    const history = await ask<Result<History>>(`/events?limit=${MOST}&kind=${KINDS}`).catch(() => undefined);
    if (history !== undefined) this.events = history.result.events;
    this.#tell();
  }

  #expectWord(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#again(), SILENT_MS);
  }

  #again(): void {
    this.#drop();
    this.isLive = false;
    this.#tell();
    this.#timer = setTimeout(() => (this.#cursor === undefined ? void this.#begin() : this.#connect()), this.#pauseMs);
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2);
  }

  #drop(): void {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }

  #end(): void {
    this.#drop();
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
