// Replays a recorded past on a desk of its own: moves the clock from event to event, lets each happen again through the real
// gates and lanes, and stops in between wherever a stop, a resting order or a time limit has something to say.

import type { AccountName, Accounts } from '../accounts.ts';
import type { Journal } from '../books/journal.ts';
import { type PositionName, positionKey } from '../books/position.ts';
import { type Decimal, ZERO } from '../decimal.ts';
import type { OrderCanceler } from '../execution/cancel-orders.ts';
import type { PositionCloser } from '../execution/close-positions.ts';
import type { Dispatcher } from '../execution/dispatch.ts';
import type { KillSwitchGuard } from '../execution/kill-switch-guard.ts';
import type { OwnerCloser } from '../execution/owner-close.ts';
import type { RestingOrders } from '../execution/resting-orders.ts';
import { accountOf, cancelAtMs } from '../execution/trade-run.ts';
import { acceptAt, acceptFrom, type GateKeepers, type ProvedCandidate, type Verdict } from '../intake/accept-signal.ts';
import type { AcceptedSignal } from '../intake/accepted-signal.ts';
import type { AuditEntry, ControlChanges, Controls, ControlValues } from '../intake/controls.ts';
import type { Sender } from '../intake/gates.ts';
import type { RefusedSignal } from '../intake/refusals.ts';
import { RESTRICTION, type Restrictions } from '../intake/restrictions.ts';
import type { TradedPrices } from '../protection/look-at-market.ts';
import type { StopChange } from '../protection/owner-changes.ts';
import type { Protections } from '../protection/protections.ts';
import { OWNER } from '../signal.ts';
import type { Venue } from '../venue.ts';
import { changedOrder, type ReplayChanges } from './changes.ts';
import { closeAgain } from './close-again.ts';
import { type ControlEvent, stoppedHalfWay } from './gate-order.ts';
import { HeldFlattens } from './held-flattens.ts';
import { type Moment, nextMoment, type RestingLimit } from './next-moment.ts';
import { Recollection } from './recollection.ts';
import type { RecordedPast, RecordedTrade } from './recorded-past.ts';
import type { ReplayClock } from './replay-clock.ts';
import type { ReplayEvent } from './replay-event.ts';
import { restrictAgain, setOtherwise } from './replayed-limits.ts';
import { StoppedTogether } from './stopped-together.ts';
import { isUnderWay, timelineOf } from './timeline.ts';
import type { AfterOrders } from './venue-at-moments.ts';

/** The desk that replays, over storage and accounts of its own. */
export interface ReplayDesk {
  readonly accounts: Accounts;
  readonly keepers: GateKeepers;
  readonly dispatcher: Pick<Dispatcher, 'dispatch'>;
  readonly canceler: Pick<OrderCanceler, 'cancelOrder' | 'cancelDue'>;
  readonly closer: PositionCloser;
  readonly ownerCloser: Pick<OwnerCloser, 'open'>;
  readonly protections: Pick<Protections, 'list' | 'look' | 'set' | 'remove'>;
  readonly killSwitchGuard: Pick<KillSwitchGuard, 'look'>;
  readonly resting: Pick<RestingOrders, 'entries'>;
  atRest(): Promise<void>;
}

export interface ReplayParts {
  readonly past: RecordedPast;
  readonly desk: ReplayDesk;
  readonly journal: Pick<Journal, 'orders'>;
  readonly controls: Pick<Controls, 'current' | 'set'>;
  readonly restrictions: Restrictions;
  readonly clock: ReplayClock;
  /** Of any moment, whatever the clock says. */
  readonly prices: TradedPrices;
  /** Compares the resting orders of an account with the market. */
  readonly match: (venue: Venue) => Promise<unknown>;
  /** The sender behind the label of a key. */
  readonly senderOf: (label: string) => Sender;
  readonly changes: ReplayChanges;
  /** The changes are in force from here on, and it ends there. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly afterOrders: AfterOrders;
  readonly onProgress?: (done: number, of: number) => void;
}

export interface Replayed {
  /** What the gates said to each signal that they refused, by request id. */
  readonly refused: ReadonlyMap<string, string>;
  /** Of the stretch: refused signals of which too little was kept to send them again. */
  readonly unreadable: readonly RefusedSignal[];
  /** Of the stretch: how many changes of stops by hand could not be made again, because there is no such position. */
  readonly stopsLeftOut: number;
}

const ALL_OPEN = 100_000;

export async function replay(parts: ReplayParts): Promise<Replayed> {
  return new Replay(parts).run();
}

class Replay {
  readonly #parts: ReplayParts;
  readonly #events: readonly ReplayEvent[];
  readonly #recollection: Recollection;
  readonly #flattens: HeldFlattens;
  readonly #accepted = new Map<string, AcceptedSignal>();
  readonly #refused = new Map<string, string>();
  readonly #unreadable: RefusedSignal[] = [];
  /** Controls that were turned already, in the middle of a turn. */
  readonly #turned = new Set<ReplayEvent>();
  /** By request id. */
  readonly #stoppedHalfWay = new Map<string, StoppedTogether>();
  #stopsLeftOut = 0;

  constructor(parts: ReplayParts) {
    this.#parts = parts;
    this.#events = timelineOf(parts.past).filter(({ atMs }) => atMs < parts.toMs);
    this.#flattens = new HeldFlattens(this.#events);
    this.#recollection = new Recollection(parts.past, this.#events, {
      stopsChanged: parts.changes.stops !== undefined,
    });
  }

  async run(): Promise<Replayed> {
    const { fromMs, toMs, onProgress } = this.#parts;
    this.#turnBetweenOrders();
    let hasBegun = false;
    for (const [index, event] of this.#events.entries()) {
      if (!hasBegun && event.atMs >= fromMs) {
        hasBegun = true;
        await this.#reach(fromMs);
        await this.#setLimits();
      }
      await this.#reach(event.atMs);
      await this.#happen(event);
      await this.#settle();
      onProgress?.(index + 1, this.#events.length);
    }
    await this.#reach(toMs);
    return { refused: this.#refused, unreadable: this.#unreadable, stopsLeftOut: this.#stopsLeftOut };
  }

  /** A switch that came between the two orders of some trades comes between those of each again. */
  #turnBetweenOrders(): void {
    const { past, afterOrders } = this.#parts;
    for (const halfWay of stoppedHalfWay(past, this.#events)) {
      const together = new StoppedTogether(halfWay, () => this.#turnOnce(halfWay.change));
      for (const { requestId, order } of halfWay.stopped) {
        this.#stoppedHalfWay.set(requestId, together);
        afterOrders.set(order, () => together.isHalfWay(requestId));
      }
    }
  }

  async #turnOnce(event: ControlEvent): Promise<void> {
    if (this.#turned.has(event)) return;
    this.#turned.add(event);
    await this.#turnControl(this.#flattens.turn(event.entry));
  }

  async #reach(toMs: number): Promise<void> {
    for (const { entry, atMs } of this.#flattens.takeDue(toMs)) {
      await this.#advance(atMs);
      await this.#turnControl(entry);
      await this.#settle();
    }
    await this.#advance(toMs);
  }

  /** Lets happen what happens by itself before that moment. */
  async #advance(toMs: number): Promise<void> {
    const { clock, prices, desk } = this.#parts;
    // An event that has its place behind a later one.
    if (toMs < clock.nowMs()) return;
    for (;;) {
      const protections = desk.protections.list();
      const limits = await this.#limits();
      const isHeld = desk.ownerCloser.open().length > 0;
      if (protections.length === 0 && limits.length === 0 && !isHeld) break;
      const nowMs = clock.nowMs();
      const live = { protections, limits, isHeld };
      const moment = await nextMoment(live, { prices, nowMs, toMs, isAwaited: (each) => this.#recollection.has(each) });
      if (moment === undefined) break;
      clock.moveTo(moment.atMs);
      await this.#look(moment);
      await this.#settle();
    }
    clock.moveTo(toMs);
  }

  async #look(moment: Moment): Promise<void> {
    const { desk, clock } = this.#parts;
    if (moment.kind === 'stop') await desk.protections.look();
    else if (moment.kind === 'due') await desk.canceler.cancelDue(clock.nowMs());
    else if (moment.kind === 'funding') await Promise.all(desk.accounts.list().map((venue) => this.#match(venue)));
    else await this.#matchOrder(moment.clientOrderId);
  }

  async #matchOrder(clientOrderId: string): Promise<void> {
    const found = this.#parts.desk.resting.entries().find(([id]) => id === clientOrderId);
    if (found) await this.#match(accountOf(found[1].run.trade));
  }

  async #match({ exchange, account }: Omit<AccountName, 'mode'>): Promise<void> {
    const { desk, match } = this.#parts;
    const venue = desk.accounts.find(exchange, account);
    if (venue) await match(venue);
  }

  async #settle(): Promise<void> {
    const { desk } = this.#parts;
    await desk.atRest();
    desk.killSwitchGuard.look();
    await desk.atRest();
  }

  async #happen(event: ReplayEvent): Promise<void> {
    const { desk, clock } = this.#parts;
    this.#recollection.forget(event);
    switch (event.kind) {
      case 'control':
        return this.#turnOnce(event);
      case 'signal':
        return this.#send(event.trades);
      case 'refused':
        return this.#sendRefused(event.refused);
      case 'turn':
        return this.#takeTurn(event.requestId);
      case 'close':
        return this.#close(event.trade);
      case 'cancel':
        await desk.canceler.cancelOrder(event.clientOrderId, { by: event.by });
        return;
      case 'guard':
        return this.#guard(event.changed);
      case 'stop':
        return desk.protections.look();
      case 'due':
        await desk.canceler.cancelDue(clock.nowMs());
        return;
      case 'match':
        return this.#match(event.account);
    }
  }

  async #turnControl(entry: AuditEntry): Promise<void> {
    const { controls, restrictions } = this.#parts;
    const { setting, after, actor } = entry;
    if (setting === RESTRICTION) {
      await restrictAgain(restrictions, entry);
      await this.#setLimits();
      return;
    }
    if (after === null || !Object.hasOwn(controls.current(), setting)) return;
    const name = setting as keyof ControlValues;
    await controls.set(name, JSON.parse(after) as ControlChanges[typeof name], actor);
  }

  /** Those of the stretch: over what the past has then, also after it has changed. */
  async #setLimits(): Promise<void> {
    const { clock, fromMs, restrictions, changes } = this.#parts;
    if (clock.nowMs() >= fromMs) await setOtherwise(restrictions, changes.limits ?? []);
  }

  /** To the accounts it was traded on, whatever the routes of its key are now. */
  async #send(trades: readonly [RecordedTrade, ...RecordedTrade[]]): Promise<void> {
    const { desk } = this.#parts;
    const [{ trade }] = trades;
    const { requestId, receivedAtMs, source, keyLabel } = trade;
    const targets = trades.flatMap(({ trade: each }) => {
      const venue = desk.accounts.find(each.order.exchange, each.account);
      return venue ? [{ venue, order: this.#changed(each.order, receivedAtMs) }] : [];
    });
    const [first] = targets;
    if (first === undefined) return;
    const candidate = { requestId, receivedAtMs, source, order: first.order };
    this.#note(requestId, await acceptAt(targets, { keyId: keyLabel, label: keyLabel }, candidate, desk.keepers));
    for (const each of trades) if (isUnderWay(each)) this.#accepted.delete(each.trade.requestId);
  }

  async #sendRefused(refused: RefusedSignal): Promise<void> {
    const { desk, changes, senderOf, fromMs } = this.#parts;
    const { id, receivedAtMs, keyLabel, code, signal, resentAs } = refused;
    // A duplicate has its trade already.
    if (keyLabel === undefined || code === 'DUPLICATE_SIGNAL') return;
    const isChanged = receivedAtMs >= fromMs;
    if (isChanged && changes.withoutRefused) return;
    if (signal === undefined || signal.unmapped) {
      if (isChanged) this.#unreadable.push(refused);
      return;
    }
    // Where it was sent again later, and passes now, that one is its duplicate.
    const claimed = resentAs === undefined ? {} : { idempotencyKey: signal.order.idempotencyKey ?? id };
    const order = this.#changed({ ...signal.order, ...claimed }, receivedAtMs);
    const candidate = { requestId: id, receivedAtMs, source: signal.source, order };
    const verdict = await acceptFrom(senderOf(keyLabel), candidate, desk.keepers);
    this.#note(id, verdict);
    if (!('accepted' in verdict)) return;
    for (const trade of [verdict.accepted, ...verdict.further]) await this.#execute(trade.requestId);
  }

  #changed(order: ProvedCandidate['order'], receivedAtMs: number): ProvedCandidate['order'] {
    const { changes, fromMs } = this.#parts;
    return changedOrder(order, receivedAtMs >= fromMs ? changes : {});
  }

  #note(requestId: string, verdict: Verdict): void {
    if ('refused' in verdict) this.#refused.set(requestId, verdict.refused.code);
    else for (const trade of [verdict.accepted, ...verdict.further]) this.#accepted.set(trade.requestId, trade);
  }

  /** Those that one switch stopped half way have their turns together. */
  async #takeTurn(requestId: string): Promise<void> {
    const together = this.#stoppedHalfWay.get(requestId);
    const turnOf = async (each: string): Promise<void> => {
      await this.#execute(each);
      together?.hasEnded(each);
    };
    await Promise.all((together?.requestIds ?? [requestId]).map(turnOf));
  }

  /** Nobody waits for a venue that has no price: that is an outcome. */
  async #execute(requestId: string): Promise<void> {
    const trade = this.#accepted.get(requestId);
    if (trade === undefined) return;
    this.#accepted.delete(requestId);
    await this.#parts.desk.dispatcher.dispatch(trade, 'direct');
  }

  async #close(close: RecordedTrade): Promise<void> {
    const { desk, past } = this.#parts;
    const held = new Map(desk.ownerCloser.open().map(({ position }) => [positionKey(position), position.quantity]));
    const heldNow = (position: PositionName): Decimal => held.get(positionKey(position)) ?? ZERO;
    const { requestId, keyLabel: label } = close.trade;
    const closes = [closeAgain(close, past, heldNow)] as const;
    const closed = await desk.closer.close({ requestId, source: OWNER, label, closes });
    if ('accepted' in closed) await Promise.all(closed.accepted.map(({ dispatched }) => dispatched));
    this.#flattens.closed(close, this.#parts.clock.nowMs());
  }

  async #guard({ share, change, by, atMs }: StopChange): Promise<void> {
    const { protections } = this.#parts.desk;
    const changed = change ? await protections.set(share, change, by) : await protections.remove(share, by);
    const isMade = changed !== undefined && !('conflict' in changed);
    if (!isMade && atMs >= this.#parts.fromMs) this.#stopsLeftOut++;
  }

  /** The orders that rest now. */
  async #limits(): Promise<readonly RestingLimit[]> {
    const { desk, journal } = this.#parts;
    const entries = new Map(desk.resting.entries());
    if (entries.size === 0) return [];
    const open = await journal.orders({ limit: ALL_OPEN, states: 'open' });
    return open.flatMap(({ trade, order: { clientOrderId, side, price } }) =>
      price === undefined || !entries.has(clientOrderId)
        ? []
        : [{ clientOrderId, market: trade.order.market, side, price, cancelAtMs: cancelAtMs(trade) }],
    );
  }
}
