// What throwing the kill switch does to what is already out: withdraws resting opening orders and, where it says so, closes every
// position; again and again until the venues confirm it, also after a restart, for as long as the switch is on.

import { SerialQueue } from '../../timing/serial-queue.ts';
import { accountInWords } from '../accounts.ts';
import { ACTION_MEANING } from '../action.ts';
import type { Journal } from '../books/journal.ts';
import { keyInWords } from '../books/position.ts';
import type { PositionBook, PositionChange } from '../books/position-book.ts';
import { decimal, toText } from '../decimal.ts';
import type { Controls, KillSwitch } from '../intake/controls.ts';
import type { OnAlarm } from '../notifications/alarm.ts';
import { OWNER } from '../signal.ts';
import type { CanceledOrder, OrderCanceler } from './cancel-orders.ts';
import type { ClosedPosition, OwnerCloser } from './owner-close.ts';
import type { RestingOrders } from './resting-orders.ts';
import { accountOf } from './trade-run.ts';

/** What became of orders and positions when the switch was thrown. */
export interface Enforced {
  readonly canceled: readonly CanceledOrder[];
  readonly closed: readonly ClosedPosition[];
}

export interface KillSwitchGuardParts {
  readonly controls: Pick<Controls, 'current' | 'watch'>;
  readonly journal: Pick<Journal, 'unfinished'>;
  readonly book: Pick<PositionBook, 'watch'>;
  readonly resting: Pick<RestingOrders, 'entries'>;
  readonly canceler: Pick<OrderCanceler, 'cancelOrders'>;
  readonly closer: Pick<OwnerCloser, 'open' | 'close'>;
  readonly newRequestId: () => string;
  readonly monotonicMs: () => number;
  readonly onAlarm?: OnAlarm | undefined;
  readonly onTrouble: (what: string, error: unknown) => void;
}

const NOTHING: Enforced = { canceled: [], closed: [] };
const ACTOR = 'kill switch';
const WHOLE = decimal('1');
/** Between tries: each of them stands in the history of every order that it could not withdraw. */
const RETRY_PAUSES_MS = [1000, 2000, 5000, 15_000, 60_000];

export class KillSwitchGuard {
  readonly #parts: KillSwitchGuardParts;
  readonly #queue = new SerialQueue();
  #isStarted = false;
  #switch: KillSwitch | undefined;
  #last: Promise<Enforced> = Promise.resolve(NOTHING);
  #tries = 0;
  #nextTryMs = 0;

  constructor(parts: KillSwitchGuardParts) {
    this.#parts = parts;
    parts.book.watch((change) => this.#noteFill(change));
  }

  /** From now on it acts, at once where the switch is on already: call when trades are recovered. */
  start(): void {
    this.#isStarted = true;
    this.#parts.controls.watch(({ killSwitch }) => {
      if (killSwitch === this.#switch) return;
      this.#switch = killSwitch;
      this.#tries = 0;
      this.#last = this.#enforce();
    });
  }

  /** What came of the last turn of the switch; nothing where nothing is traded. */
  enforced(): Promise<Enforced> {
    return this.#last;
  }

  /** Tries again where something is left; to be called every second. */
  look(): void {
    const { monotonicMs } = this.#parts;
    const isBusy = this.#queue.size > 0 || monotonicMs() < this.#nextTryMs;
    if (this.#isStarted && !isBusy && this.#isSomethingLeft()) void this.#enforce();
  }

  #isSomethingLeft(): boolean {
    const { controls, resting, closer } = this.#parts;
    const { active, cancelEntries, flatten } = controls.current().killSwitch;
    if (!active) return false;
    const hasEntries = cancelEntries === true && resting.entries().some(([, { order }]) => !order.reduceOnly);
    return hasEntries || (flatten === true && closer.open().length > 0);
  }

  /** Never rejects: what is not done is tried again. */
  #enforce(): Promise<Enforced> {
    const { monotonicMs, onTrouble } = this.#parts;
    return this.#queue.run(async () => {
      const enforced = await this.#enforceOnce().catch((error) => {
        onTrouble('the kill switch could not be enforced', error);
        return NOTHING;
      });
      this.#nextTryMs = monotonicMs() + (RETRY_PAUSES_MS[Math.min(this.#tries, RETRY_PAUSES_MS.length - 1)] as number);
      this.#tries++;
      return enforced;
    });
  }

  async #enforceOnce(): Promise<Enforced> {
    const { controls, canceler, onAlarm } = this.#parts;
    const { active, cancelEntries, flatten } = controls.current().killSwitch;
    if (!active) return NOTHING;
    // Both at once: in each lane the cancel stands before the close, and no market waits for another.
    const [canceled, closed] = await Promise.all([
      cancelEntries ? canceler.cancelOrders({ reduceOnly: false }, { by: `the ${ACTOR}` }) : [],
      flatten ? this.#closeAll() : [],
    ]);
    const left = canceled.filter(({ outcome }) => outcome !== 'canceled' && outcome !== 'ended');
    if (left.length > 0)
      onAlarm?.(
        'kill-switch withdrawal',
        `The kill switch is on, but ${left.length} opening order${left.length === 1 ? '' : 's'} could NOT be withdrawn yet: ${left[0]?.error}. Trying again`,
      );
    const open = closed.filter(isNotClosed);
    if (open.length > 0)
      onAlarm?.(
        'kill-switch flatten',
        `The kill switch is on, but ${open.map(({ key }) => key).join(', ')} could NOT be closed yet. Trying again`,
      );
    return { canceled, closed };
  }

  /** Positions whose close is in the journal and has not ended are left to it: a second one would only stand behind it. */
  async #closeAll(): Promise<readonly ClosedPosition[]> {
    const { closer, journal, newRequestId } = this.#parts;
    if (closer.open().length === 0) return [];
    const unfinished = await journal.unfinished();
    const closing = new Set(
      unfinished
        .filter(({ trade }) => trade.source === OWNER && trade.order.closesAll)
        .map(({ trade }) => {
          const side = ACTION_MEANING[trade.order.action].positionSide;
          return keyInWords({ ...accountOf(trade), market: trade.order.market, side });
        }),
    );
    const positions = closer.open().flatMap(({ key }) => (closing.has(key) ? [] : [key]));
    if (positions.length === 0) return [];
    const outcome = await closer.close({ requestId: newRequestId(), actor: ACTOR, positions, share: WHOLE });
    return 'closed' in outcome ? outcome.closed : [];
  }

  /** A fill that came before the withdrawal has opened what the switch was to prevent. */
  #noteFill({ by }: PositionChange): void {
    const { active, cancelEntries, flatten } = this.#parts.controls.current().killSwitch;
    if (!by || by.report.reduceOnly || !active || !(cancelEntries || flatten)) return;
    const { trade, report } = by;
    // A closing signal passes the switch of scope "entries", and may have to open what other strategies hold.
    if (ACTION_MEANING[trade.order.action].closes) return;
    const name = { ...accountOf(trade), market: report.market };
    const what = `${toText(report.executedQuantity)} ${report.market} ${report.positionSide} on ${accountInWords(name)} (${name.mode})`;
    const then = flatten ? 'the position is being closed' : 'the position is open, close it if you do not want it';
    this.#parts.onAlarm?.(
      `kill-switch fill ${trade.requestId}`,
      `An entry filled although the kill switch is on: ${what}; ${then}`,
    );
    // Not before its fill is booked and its lane is free.
    this.#tries = 0;
    this.#nextTryMs = 0;
  }
}

const isNotClosed = (closed: ClosedPosition): boolean =>
  'missing' in closed
    ? closed.cause !== 'not-found'
    : 'failed' in closed || (closed.dispatched.kind === 'settled' && closed.dispatched.settled.state !== 'filled');
