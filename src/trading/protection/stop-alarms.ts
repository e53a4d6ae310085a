// The alarms of stops and targets that were reached: each ends when nothing is left to close, not some minutes later.

import { type ShareName, shareInWords } from '../books/strategy-book.ts';
import type { OnAlarm } from '../notifications/alarm.ts';

interface StopAlarmParts {
  readonly onAlarm?: OnAlarm | undefined;
  readonly onAlarmOver?: ((kind: string) => void) | undefined;
}

export class StopAlarms {
  readonly #parts: StopAlarmParts;
  /** What was raised, by share. */
  readonly #kinds = new Map<string, Set<string>>();

  constructor(parts: StopAlarmParts) {
    this.#parts = parts;
  }

  /** `about` tells the alarms of one share apart. */
  raise(share: ShareName, about: string, text: string): void {
    const key = shareInWords(share);
    const kind = `protection ${key} ${about}`.trim();
    this.#kinds.set(key, (this.#kinds.get(key) ?? new Set()).add(kind));
    this.#parts.onAlarm?.(kind, text);
  }

  /** The share is flat, or what its target was to close is closed. */
  over(share: ShareName): void {
    const key = shareInWords(share);
    for (const kind of this.#kinds.get(key) ?? []) this.#parts.onAlarmOver?.(kind);
    this.#kinds.delete(key);
  }
}
