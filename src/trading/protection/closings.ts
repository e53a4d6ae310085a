// Sees fired protections through: one closing trade at a time, looked up before it is made, until the position is gone.

import { isFinal } from '../books/journal.ts';
import type { Position } from '../books/position.ts';
import { toText, ZERO } from '../decimal.ts';
import type { OnAlarm } from '../notifications/alarm.ts';
import type { Closer } from './close-position.ts';
import { type PositionName, type Protection, protectionKey, type Trigger } from './protection.ts';
import type { Shelf } from './shelf.ts';
import { within } from './watch.ts';

export interface Closings {
  /** A level was reached: from now on the position is being closed. */
  fire(protection: Protection, trigger: Trigger): void;
  /** Takes the next step for a fired protection, unless one is being taken. */
  goOn(protection: Protection): void;
  /** Resolves when no step is being taken, or the time is up: what is not done is found again at the next start. */
  settled(timeoutMs: number): Promise<void>;
}

export interface ClosingParts {
  readonly shelf: Shelf;
  readonly closer: Closer;
  readonly positionOf: (name: PositionName) => Position | undefined;
  readonly newRequestId: () => string;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly onAlarm?: OnAlarm | undefined;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Between closes that the venue refused. */
const RETRY_PAUSES_MS = [1000, 2000, 5000, 15_000, 60_000];
const WORDS = { 'trailing-stop': 'trailing stop', 'stop-loss': 'stop loss', 'take-profit': 'take profit' } as const;

export function createClosings(parts: ClosingParts): Closings {
  const { shelf, closer, positionOf, newRequestId, monotonicMs, onAlarm, onTrouble } = parts;
  const underWay = new Map<string, Promise<void>>();
  const refused = new Map<string, { readonly times: number; readonly untilMs: number }>();

  async function step(protection: Protection, by: Trigger['by']): Promise<void> {
    const trade = await closer.find(protection.closeRequestId);
    // Its lane has it, or the periodic look at orders without a clear outcome.
    if (trade && !isFinal(trade.state)) return;
    // In the meantime the position may have been closed, and another one opened.
    if (shelf.get(protection) !== protection) return;
    const quantity = positionOf(protection)?.quantity ?? ZERO;
    if (quantity === ZERO) return forget(protection);
    if (!trade) return closer.close(protection, { requestId: protection.closeRequestId, by, quantity });
    if (trade.executedQuantity === ZERO) {
      if (!(await closer.isHeld(protection))) {
        onAlarm?.('protection', `${describe(protection)} has no position at the venue any more; its stop is removed`);
        return forget(protection);
      }
      pauseAfter(protection, trade.error);
    }
    // Ended, and there is still a position: a new trade with an id of its own, on disk before it is sent.
    if (shelf.get(protection) === protection) shelf.put({ ...protection, closeRequestId: newRequestId() });
  }

  function pauseAfter(protection: Protection, error: string | undefined): void {
    const key = protectionKey(protection);
    const times = (refused.get(key)?.times ?? 0) + 1;
    const pauseMs = RETRY_PAUSES_MS[Math.min(times, RETRY_PAUSES_MS.length) - 1] as number;
    refused.set(key, { times, untilMs: monotonicMs() + pauseMs });
    const reason = error === undefined ? '' : `: ${error}`;
    onAlarm?.(
      `protection ${key}`,
      `${describe(protection)} reached its stop but could NOT be closed${reason}. Trying again`,
    );
  }

  function forget(protection: Protection): void {
    refused.delete(protectionKey(protection));
    shelf.remove(protection);
  }

  const goOn = (protection: Protection): void => {
    const key = protectionKey(protection);
    const { fired } = protection;
    if (
      fired === undefined ||
      shelf.get(protection) !== protection ||
      underWay.has(key) ||
      (refused.get(key)?.untilMs ?? 0) > monotonicMs()
    )
      return;
    const work = step(protection, fired.by)
      .catch((error) => onTrouble(`the position ${key} is not closed yet`, error))
      .finally(() => underWay.delete(key));
    underWay.set(key, work);
  };

  return {
    fire(protection, trigger) {
      const fired: Protection = { ...protection, fired: { ...trigger, atMs: parts.nowMs() } };
      refused.delete(protectionKey(protection));
      shelf.put(fired);
      // On disk first: a stop that was reached must not be forgotten, whatever the market does next.
      void shelf.written().then(() => goOn(fired));
      onAlarm?.(
        `protection ${protectionKey(protection)} ${trigger.by}`,
        `${describe(protection)} reached its ${WORDS[trigger.by]} at ${toText(trigger.level)} and is being closed`,
      );
    },
    goOn,
    settled: (timeoutMs) => within(timeoutMs, Promise.all(underWay.values())),
  };
}

const describe = ({ market, side, exchange, account }: PositionName): string =>
  `${market} ${side} on ${exchange} (${account})`;
