// Remembers when TradingView last called, so that its owner can see whether alerts arrive at all.
//
// A call counts whatever became of it: also a refused one has found its way here. It is noted in memory and written down
// afterwards, at most once a minute, so that no signal waits for it.

import type { Timers } from '../../timing/timers.ts';
import { TRADINGVIEW_ADDRESSES } from './allowlist.ts';

export interface TradingviewCall {
  readonly atMs: number;
  readonly address: string;
}

export interface TradingviewCallsParts {
  /** What was written down last. */
  readonly read: (name: string) => string | undefined;
  /** Durable when it resolves. */
  readonly write: (name: string, value: string, atMs: number) => Promise<void>;
  readonly nowMs: () => number;
  readonly timers: Timers;
  readonly onTrouble: (what: string, error: unknown) => void;
}

export const TRADINGVIEW_CALL = 'tradingviewCall';
const WRITE_EVERY_MS = 60_000;
const addresses: ReadonlySet<string> = new Set(TRADINGVIEW_ADDRESSES);

export class TradingviewCalls {
  readonly #parts: TradingviewCallsParts;
  #last: TradingviewCall | undefined;
  #unwritten: TradingviewCall | undefined;
  #writtenMs = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(parts: TradingviewCallsParts) {
    this.#parts = parts;
  }

  /** Also of an earlier start; undefined where it never has. */
  last(): TradingviewCall | undefined {
    const written = this.#last === undefined ? this.#parts.read(TRADINGVIEW_CALL) : undefined;
    if (written !== undefined) this.#last = JSON.parse(written) as TradingviewCall;
    return this.#last;
  }

  note(address: string): void {
    if (!addresses.has(address)) return;
    const { nowMs, timers } = this.#parts;
    const atMs = nowMs();
    this.#last = { atMs, address };
    this.#unwritten = this.#last;
    const sinceMs = Math.max(0, atMs - this.#writtenMs);
    this.#cancel ??= timers.after(Math.max(0, WRITE_EVERY_MS - sinceMs), () => void this.write());
  }

  /** Writes down what is not yet; to be called before the storage is closed. Never rejects: nothing depends on it. */
  async write(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    const call = this.#unwritten;
    if (call === undefined) return;
    const { write, nowMs, onTrouble } = this.#parts;
    this.#unwritten = undefined;
    this.#writtenMs = nowMs();
    try {
      await write(TRADINGVIEW_CALL, JSON.stringify(call), call.atMs);
    } catch (error) {
      onTrouble('the last call of TradingView was not written down', error);
    }
  }
}
