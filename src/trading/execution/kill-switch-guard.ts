// What throwing a kill switch does to what is already out: withdraws its resting opening orders and, where it says so, closes its
// positions; again and again until the venues confirm it, also after a restart, for as long as the switch is on. There is
// one switch over everything, and one for every key, strategy, account and symbol, each with its own tries. A pause that
// says so withdraws entries in the same way.

import { errorText } from '../../errors/error-text.ts';
import { SerialQueue } from '../../timing/serial-queue.ts';
import { type Accounts, accountInWords } from '../accounts.ts';
import { ACTION_MEANING } from '../action.ts';
import type { Journal, Trade } from '../books/journal.ts';
import type { LimitFacts } from '../books/limit-facts.ts';
import { keyInWords, positionKey } from '../books/position.ts';
import type { PositionBook, PositionChange } from '../books/position-book.ts';
import { decimal, toText, ZERO } from '../decimal.ts';
import type { Controls, KillSwitch } from '../intake/controls.ts';
import type { LimitSubject, Pause, Restrictions } from '../intake/restrictions.ts';
import type { OnAlarm } from '../notifications/alarm.ts';
import { OWNER } from '../signal.ts';
import type { CanceledOrder, OrderCanceler } from './cancel-orders.ts';
import {
  actorOf,
  EVERYTHING,
  type Flattened,
  isTradeOf,
  positionsOf,
  type SwitchSubject,
  selectionOf,
  switchId,
  switchInWords,
  type ThrownSwitch,
} from './kill-switch-targets.ts';
import type { ClosedPosition, OwnerCloser } from './owner-close.ts';
import type { RestingOrders } from './resting-orders.ts';
import { retryPauseMs } from './retry-pauses.ts';
import { accountOf } from './trade-run.ts';

/** What became of orders and positions when the switch was thrown. */
export interface Enforced {
  readonly canceled: readonly CanceledOrder[];
  readonly closed: readonly ClosedPosition[];
}

export interface KillSwitchGuardParts {
  readonly controls: Pick<Controls, 'current' | 'watch'>;
  readonly restrictions: Pick<Restrictions, 'list' | 'find' | 'watch'>;
  readonly journal: Pick<Journal, 'unfinished'>;
  readonly book: Pick<PositionBook, 'watch' | 'all' | 'allStrategies'>;
  readonly facts: Pick<LimitFacts, 'load' | 'isLoaded' | 'isHeldBy'>;
  readonly resting: Pick<RestingOrders, 'entries'>;
  readonly canceler: Pick<OrderCanceler, 'cancelOrders'>;
  readonly closer: Pick<OwnerCloser, 'close' | 'closeShares'>;
  readonly accounts: Pick<Accounts, 'has'>;
  readonly newRequestId: () => string;
  readonly monotonicMs: () => number;
  readonly onAlarm?: OnAlarm | undefined;
  readonly onAlarmOver?: ((kind: string) => void) | undefined;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** What a pause does that withdraws entries. */
const WITHDRAWING: KillSwitch = { active: true, scope: 'entries', cancelEntries: true };
const NOTHING: Enforced = { canceled: [], closed: [] };
const WHOLE = decimal('1');

/** How far one switch has got. */
interface Enforcement {
  readonly queue: SerialQueue;
  /** What it was when it was last looked at. */
  seen: ThrownSwitch['killSwitch'] | Pause | undefined;
  last: Promise<Enforced>;
  tries: number;
  nextTryMs: number;
}

export class KillSwitchGuard {
  readonly #parts: KillSwitchGuardParts;
  readonly #enforcements = new Map<string, Enforcement>();
  /** Positions that an alarm names as open although a switch is on, by the kind of the alarm. */
  readonly #opened = new Map<string, string>();
  /** What stands as an alarm because a switch is on and something of it is not done, by the kind of the alarm. */
  readonly #told = new Map<string, { subject: SwitchSubject | undefined; isLeft: (thrown: ThrownSwitch) => boolean }>();
  #isStarted = false;

  constructor(parts: KillSwitchGuardParts) {
    this.#parts = parts;
    parts.book.watch((change) => {
      this.#noteFill(change);
      this.#noteClosed(change);
    });
  }

  /** From now on it acts, at once where a switch is on already: call when trades are recovered. */
  start(): void {
    const { controls, restrictions } = this.#parts;
    this.#isStarted = true;
    controls.watch(() => this.#turned(undefined));
    const turned = ({ kind, name }: LimitSubject): void => {
      this.#turned({ kind, name });
      this.#turned({ kind, name, isPause: true });
    };
    for (const row of restrictions.list()) turned(row);
    restrictions.watch(turned);
  }

  /** What came of the last turn of a switch; nothing where nothing is traded. */
  enforced(subject?: SwitchSubject): Promise<Enforced> {
    return this.#enforcements.get(switchId(subject))?.last ?? Promise.resolve(NOTHING);
  }

  /** How many opening orders of a subject rest at the venues now, and may still fill. */
  waitingEntries(subject?: LimitSubject): number {
    const isWaiting = ([, { run, order }]: ReturnType<RestingOrders['entries']>[number]): boolean =>
      !order.reduceOnly && isTradeOf(run, subject);
    return this.#parts.resting.entries().filter(isWaiting).length;
  }

  /** Tries again where something is left; to be called every second. */
  look(): void {
    if (!this.#isStarted) return;
    this.#endTold();
    for (const thrown of this.#thrown()) {
      const { queue, nextTryMs } = this.#of(thrown.subject);
      const isBusy = queue.size > 0 || this.#parts.monotonicMs() < nextTryMs;
      if (!isBusy && this.#isSomethingLeft(thrown)) void this.#enforce(thrown.subject);
    }
  }

  /** The switches that are on. */
  #thrown(): readonly ThrownSwitch[] {
    const { controls, restrictions } = this.#parts;
    const { killSwitch } = controls.current();
    const owned = restrictions
      .list()
      .flatMap(({ kind, name, killSwitch: own, pause }): readonly ThrownSwitch[] => [
        ...(own?.active ? [{ subject: { kind, name }, killSwitch: own }] : []),
        ...(pause?.cancelEntries ? [{ subject: { kind, name, isPause: true }, killSwitch: WITHDRAWING }] : []),
      ]);
    return killSwitch.active ? [{ killSwitch }, ...owned] : owned;
  }

  #find(subject: SwitchSubject | undefined): ThrownSwitch | undefined {
    return this.#thrown().find((thrown) => switchId(thrown.subject) === switchId(subject));
  }

  #of(subject: SwitchSubject | undefined): Enforcement {
    const id = switchId(subject);
    const known = this.#enforcements.get(id);
    if (known) return known;
    const queue = new SerialQueue();
    const made = { queue, seen: undefined, last: Promise.resolve(NOTHING), tries: 0, nextTryMs: 0 };
    this.#enforcements.set(id, made);
    return made;
  }

  #turned(subject: SwitchSubject | undefined): void {
    const { controls, restrictions } = this.#parts;
    const row = subject && restrictions.find(subject);
    const own = subject?.isPause ? row?.pause?.cancelEntries && row.pause : row?.killSwitch;
    const seen = subject ? own || undefined : controls.current().killSwitch;
    // A switch that was never on needs no memory.
    if (seen === undefined && !this.#enforcements.has(switchId(subject))) return;
    const enforcement = this.#of(subject);
    if (seen === enforcement.seen) return;
    enforcement.seen = seen;
    enforcement.tries = 0;
    enforcement.last = this.#enforce(subject);
  }

  #isSomethingLeft(thrown: ThrownSwitch): boolean {
    return this.#hasEntries(thrown) || this.#hasPositions(thrown);
  }

  #hasEntries({ subject, killSwitch }: ThrownSwitch): boolean {
    return killSwitch.cancelEntries === true && this.waitingEntries(subject) > 0;
  }

  /** Of accounts that are traded now, or of the others. */
  #hasPositions({ subject, killSwitch }: ThrownSwitch, areTraded = true): boolean {
    const { book, facts, accounts } = this.#parts;
    if (killSwitch.flatten !== true) return false;
    // What a key holds is not known before the journal was read, and that may have failed.
    if (subject?.kind === 'key' && !facts.isLoaded) return true;
    return positionsOf(subject, book, facts).some((each) => accounts.has(each) === areTraded);
  }

  /** Stands until the switch is off or nothing of it is left, whoever saw to that. */
  #tell(what: string, subject: SwitchSubject | undefined, isLeft: (thrown: ThrownSwitch) => boolean, text: string) {
    const kind = `kill-switch ${what}${subject ? ` ${switchId(subject)}` : ''}`;
    this.#told.set(kind, { subject, isLeft });
    this.#parts.onAlarm?.(kind, `The ${switchInWords(subject)} is on, but ${text}`);
  }

  #endTold(): void {
    for (const [kind, { subject, isLeft }] of this.#told) {
      const thrown = this.#find(subject);
      if (thrown && isLeft(thrown)) continue;
      this.#told.delete(kind);
      this.#parts.onAlarmOver?.(kind);
    }
  }

  /** Never rejects: what is not done is tried again. */
  #enforce(subject: SwitchSubject | undefined): Promise<Enforced> {
    const { monotonicMs, onTrouble } = this.#parts;
    const enforcement = this.#of(subject);
    return enforcement.queue.run(async () => {
      const enforced = await this.#enforceOnce(subject).catch((error) => {
        onTrouble('the kill switch could not be enforced', error);
        return NOTHING;
      });
      enforcement.tries++;
      // Each try stands in the history of every order that it could not withdraw.
      enforcement.nextTryMs = monotonicMs() + retryPauseMs(enforcement.tries);
      return enforced;
    });
  }

  async #enforceOnce(subject: SwitchSubject | undefined): Promise<Enforced> {
    const thrown = this.#find(subject);
    if (!thrown) return NOTHING;
    const { canceler } = this.#parts;
    const { cancelEntries, flatten } = thrown.killSwitch;
    const selection = { ...selectionOf(subject), reduceOnly: false };
    // Both at once: in each lane the cancel stands before the close, and no market waits for another.
    const [canceled, closed] = await Promise.all([
      cancelEntries ? canceler.cancelOrders(selection, { by: `the ${actorOf(subject)}` }) : [],
      flatten ? this.#closeAll(subject).catch((error) => this.#notClosed(subject, error)) : [],
    ]);
    const left = canceled.filter(({ outcome }) => outcome !== 'canceled' && outcome !== 'ended');
    const opening = `${left.length} opening order${left.length === 1 ? '' : 's'}`;
    if (left.length > 0)
      this.#tell(
        'withdrawal',
        subject,
        (thrown) => this.#hasEntries(thrown),
        `${opening} could NOT be withdrawn yet: ${left[0]?.error}. Trying again`,
      );
    const open = closed.filter((each) => isNotClosed(each) && !isOutOfReach(each));
    if (open.length > 0)
      this.#tell(
        'flatten',
        subject,
        (thrown) => this.#hasPositions(thrown),
        `${keysOf(open)} could NOT be closed yet. Trying again`,
      );
    const away = closed.filter(isOutOfReach);
    if (away.length > 0)
      this.#tell(
        'out of reach',
        subject,
        (thrown) => this.#hasPositions(thrown, false),
        `${keysOf(away)} cannot be closed: the account is not traded now; start Signalbox with it again`,
      );
    return { canceled, closed };
  }

  /** What was withdrawn is told all the same. */
  #notClosed(subject: SwitchSubject | undefined, error: unknown): readonly ClosedPosition[] {
    this.#parts.onTrouble('the kill switch could not close positions', error);
    const text = `its positions could NOT be closed yet: ${errorText(error)}. Trying again`;
    this.#tell('flatten', subject, (thrown) => this.#hasPositions(thrown), text);
    return [];
  }

  /** Positions whose close is in the journal and has not ended are left to it: a second one would only stand behind it. */
  async #closeAll(subject: SwitchSubject | undefined): Promise<readonly ClosedPosition[]> {
    const { book, facts, accounts, closer, journal, newRequestId } = this.#parts;
    if (subject?.kind === 'key') await facts.load();
    if (positionsOf(subject, book, facts).length === 0) return [];
    const unfinished = await journal.unfinished();
    const closing = new Set(unfinished.flatMap(({ trade }) => (isOwnersClose(trade) ? [closeName(trade)] : [])));
    const isClosing = (position: Flattened): boolean =>
      closing.has(nameOf(position, undefined)) || closing.has(nameOf(position, strategyIn(position)));
    const isFirst = this.#of(subject).tries === 0;
    const wanted = positionsOf(subject, book, facts)
      .filter((position) => isFirst || accounts.has(position))
      .filter((position) => !isClosing(position));
    if (wanted.length === 0) return [];
    const request = { requestId: newRequestId(), actor: actorOf(subject) };
    const outcome =
      subject?.kind === 'strategy'
        ? await closer.closeShares({ ...request, shares: wanted, strategy: subject.name })
        : await closer.close({ ...request, positions: wanted.map(keyInWords), share: WHOLE });
    return 'closed' in outcome ? outcome.closed : [];
  }

  /** A fill that came before the withdrawal has opened what a switch was to prevent. */
  #noteFill({ by }: PositionChange): void {
    if (!by || by.report.reduceOnly) return;
    const { trade, report } = by;
    // A closing signal passes a switch of scope "entries", and may have to open what other strategies hold.
    if (ACTION_MEANING[trade.order.action].closes) return;
    const stopping = this.#thrown().filter(
      ({ subject, killSwitch }) => (killSwitch.cancelEntries || killSwitch.flatten) && isTradeOf({ trade }, subject),
    );
    for (const { subject, killSwitch } of stopping) {
      const name = { ...accountOf(trade), market: report.market };
      const what = `${toText(report.executedQuantity)} ${report.market} ${report.positionSide} on ${accountInWords(name)} (${name.mode})`;
      const then = killSwitch.flatten
        ? 'the position is being closed'
        : 'the position is open, close it if you do not want it';
      const kind = `kill-switch fill ${trade.requestId}`;
      this.#opened.set(kind, positionKey({ ...name, side: report.positionSide }));
      this.#parts.onAlarm?.(kind, `An entry filled although the ${switchInWords(subject)} is on: ${what}; ${then}`);
      // Not before its fill is booked and its lane is free.
      Object.assign(this.#of(subject), { tries: 0, nextTryMs: 0 });
    }
  }

  /** Whoever closed it: an alarm that says that it is open, or being closed, is over. */
  #noteClosed({ position }: PositionChange): void {
    if (position === undefined || position.quantity > ZERO) return;
    const key = positionKey(position);
    for (const [kind, opened] of this.#opened)
      if (opened === key) {
        this.#opened.delete(kind);
        this.#parts.onAlarmOver?.(kind);
      }
  }
}

const keysOf = (positions: readonly Pick<ClosedPosition, 'key'>[]): string =>
  positions.map(({ key }) => key).join(', ');
const isOwnersClose = ({ source, order }: Trade): boolean => source === OWNER && order.closesAll === true;
const strategyIn = (position: Flattened): string | undefined =>
  'strategy' in position ? position.strategy : undefined;
const nameOf = (position: Flattened, strategy: string | undefined): string =>
  `${keyInWords(position)} ${strategy ?? EVERYTHING}`;

function closeName(trade: Trade): string {
  const side = ACTION_MEANING[trade.order.action].positionSide;
  return `${keyInWords({ ...accountOf(trade), market: trade.order.market, side })} ${trade.order.strategy ?? EVERYTHING}`;
}

/** Nothing can be tried until Signalbox is started with the account again: told once, not again and again. */
const isOutOfReach = (closed: ClosedPosition): boolean => 'missing' in closed && closed.cause === 'unknown-account';

const isNotClosed = (closed: ClosedPosition): boolean =>
  'missing' in closed
    ? closed.cause !== 'not-found'
    : 'failed' in closed || (closed.dispatched.kind === 'settled' && closed.dispatched.settled.state !== 'filled');
