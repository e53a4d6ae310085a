// On which side of a switch or a pause a signal stood: where both fall into the same moment, what became of the signal tells.
//
// A request is read, looked up and written down, and all the while a switch may be thrown or lifted. Its recorded moments
// only bound when it met the gates, and later its turn; but whoever was let through met no switch, and whoever was stopped
// met one. So each event has a slot, the number of changes before it, and takes the nearest slot that explains its end.

import { MAIN_ACCOUNT } from '../accounts.ts';
import { accountOf, laneOf } from '../execution/trade-run.ts';
import type { AuditEntry, KillSwitch } from '../intake/controls.ts';
import { killSwitchGate } from '../intake/gates.ts';
import { isEntry, pauseRefusal, thrownSwitch } from '../intake/limit-rules.ts';
import { RESTRICTION, type Restriction, subjectInWords } from '../intake/restrictions.ts';
import type { SignalOrder } from '../signal.ts';
import type { RecordedPast, RecordedTrade } from './recorded-past.ts';
import type { ReplayEvent } from './replay-event.ts';

/** `events` are in the order of their moments; `trades` are those of their turns, by request id. */
export function amongSwitches(
  events: readonly ReplayEvent[],
  trades: ReadonlyMap<string, RecordedTrade>,
): readonly ReplayEvent[] {
  const switches = new Switches(entriesOf(events));
  if (switches.count === 0) return events;
  const slots = new Map<ReplayEvent, number>();
  const slotsOfSignals = new Map<string, number>();
  for (const event of events) {
    if (event.kind === 'turn') continue;
    const slot = slotOf(event, switches);
    slots.set(event, slot);
    if (event.kind === 'signal') for (const { trade } of event.trades) slotsOfSignals.set(trade.requestId, slot);
  }
  for (const event of events) {
    const turn = event.kind === 'turn' ? trades.get(event.requestId) : undefined;
    if (turn) slots.set(event, slotOfTurn(turn, event.atMs, slotsOfSignals.get(turn.trade.requestId) ?? 0, switches));
  }
  const halfWay = new Map<string, number>();
  for (const { change, stopped } of halfWayAmong([...trades.values()], events, switches))
    for (const { requestId } of stopped) halfWay.set(requestId, switches.indexOf(change.entry) ?? 0);
  const place = (event: ReplayEvent): number => {
    const own = event.kind === 'control' ? switches.indexOf(event.entry) : undefined;
    if (own !== undefined) return 2 * own + 1;
    const stops = event.kind === 'turn' ? halfWay.get(event.requestId) : undefined;
    const slot = slots.get(event) ?? 0;
    // It turns the switch in its middle: whatever else came before that comes before it.
    return stops !== undefined && stops >= slot ? 2 * stops + 0.5 : 2 * slot;
  };
  // The order of moments stays within a slot.
  return events.toSorted((a, b) => place(a) - place(b));
}

const entriesOf = (events: readonly ReplayEvent[]): readonly AuditEntry[] =>
  events.flatMap((event) => (event.kind === 'control' ? [event.entry] : []));

function slotOf(event: ReplayEvent, switches: Switches): number {
  const natural = switches.before(event.atMs, true);
  if (event.kind === 'signal') {
    const [{ trade }] = event.trades;
    const { keyLabel, receivedAtMs } = trade;
    const { action } = trade.order;
    const orders = event.trades.map(({ trade: each }) => ({ account: each.account, order: each.order }));
    const endMs = Math.max(
      ...event.trades.map(({ orders: [first], updatedAtMs }) => first?.createdAtMs ?? updatedAtMs),
    );
    const bounds = { first: switches.before(receivedAtMs, false), last: switches.before(endMs, true), natural };
    return nearest(bounds, (slot) => !switches.stop({ keyLabel, action, orders }, slot));
  }
  if (event.kind !== 'refused' || !isStopCode(event.refused.code)) return natural;
  const { signal, keyLabel, receivedAtMs } = event.refused;
  if (signal === undefined || keyLabel === undefined) return natural;
  const { order } = signal;
  const asked = { keyLabel, action: order.action, orders: [{ account: order.account ?? MAIN_ACCOUNT, order }] };
  const bounds = { first: switches.before(event.atMs, false), last: switches.before(receivedAtMs, true), natural };
  return nearest(bounds, (slot) => switches.stop(asked, slot));
}

/** Its turn comes after its acceptance, and is over when its first order is about to be sent, or when it is stopped. */
function slotOfTurn(turn: RecordedTrade, atMs: number, acceptedIn: number, switches: Switches): number {
  const { trade, orders } = turn;
  const natural = Math.max(acceptedIn, switches.before(atMs, true));
  const isStopped = orders.length === 0 && STOPPED.test(trade.error ?? '');
  if (orders.length === 0 && !isStopped) return natural;
  const asked = askedBy(trade);
  return nearest({ first: acceptedIn, last: natural, natural }, (slot) => switches.stop(asked, slot) === isStopped);
}

const askedBy = (trade: RecordedTrade['trade']): AskedAt => ({
  ...{ keyLabel: trade.keyLabel, action: trade.order.action },
  orders: [{ account: accountOf(trade).account, order: trade.order }],
});

export type ControlEvent = Extract<ReplayEvent, { readonly kind: 'control' }>;

/** A switch or a pause that came between the two orders of trades: one in each of their lanes. */
export interface HalfWay {
  readonly change: ControlEvent;
  /** With the order behind which it came. */
  readonly stopped: readonly { readonly requestId: string; readonly order: string }[];
}

export function stoppedHalfWay(
  { trades }: Pick<RecordedPast, 'trades'>,
  events: readonly ReplayEvent[],
): readonly HalfWay[] {
  return halfWayAmong(trades, events, new Switches(entriesOf(events)));
}

function halfWayAmong(
  trades: readonly RecordedTrade[],
  events: readonly ReplayEvent[],
  switches: Switches,
): readonly HalfWay[] {
  const controls = events.filter((event): event is ControlEvent => event.kind === 'control');
  const lanes = new Map<ControlEvent, Map<string, HalfWay['stopped'][number]>>();
  for (const { trade, orders, updatedAtMs } of trades) {
    const last = orders.at(-1);
    if (last === undefined || trade.state === 'filled' || !STOPPED.test(trade.error ?? '')) continue;
    const asked = askedBy(trade);
    const change = controls.find(({ entry, atMs }) => {
      const index = switches.indexOf(entry);
      const isBetween = index !== undefined && atMs >= last.createdAtMs && atMs <= updatedAtMs;
      return isBetween && switches.stop(asked, index + 1);
    });
    if (change === undefined) continue;
    const stopped = lanes.get(change) ?? new Map();
    lanes.set(change, stopped);
    // Of two in one lane, in the millisecond of the switch, the second had to wait for the end of the first.
    const lane = laneOf(trade);
    if (!stopped.has(lane)) stopped.set(lane, { requestId: trade.requestId, order: last.clientOrderId });
  }
  return [...lanes].map(([change, stopped]) => ({ change, stopped: [...stopped.values()] }));
}

const isStopCode = (code: string): boolean => code === 'KILL_SWITCH_ACTIVE' || code.endsWith('_PAUSED');
/** As gates.ts and limit-rules.ts say it. */
const STOPPED = /disabled by the kill switch| is paused[ :]/;

interface Bounds {
  readonly first: number;
  readonly last: number;
  readonly natural: number;
}

/** Where none explains it, the moment alone decides. */
function nearest({ first, last, natural }: Bounds, explains: (slot: number) => boolean): number {
  for (let distance = 0; distance <= last - first; distance++)
    for (const slot of [natural - distance, natural + distance])
      if (slot >= first && slot <= last && explains(slot)) return slot;
  return natural;
}

interface AskedAt {
  readonly keyLabel: string;
  readonly action: SignalOrder['action'];
  readonly orders: readonly { readonly account: string; readonly order: SignalOrder }[];
}

/** Of one switch, or of what restricts one subject: what holds from a change on, and before the first. */
interface Turns<T> {
  readonly first: T | undefined;
  readonly changes: { readonly index: number; readonly value: T | undefined }[];
}

/** Every change of a switch, a pause or a limit, and what held between them. */
class Switches {
  readonly #entries: readonly AuditEntry[];
  readonly #indices: ReadonlyMap<AuditEntry, number>;
  readonly #overall: Turns<KillSwitch>;
  readonly #subjects = new Map<string, Turns<Restriction>>();

  /** The oldest first. */
  constructor(audit: readonly AuditEntry[]) {
    this.#entries = audit.filter(({ setting }) => setting === 'killSwitch' || setting === RESTRICTION);
    this.#indices = new Map(this.#entries.map((entry, index) => [entry, index]));
    const overall = this.#entries.filter(({ setting }) => setting === 'killSwitch');
    this.#overall = { first: parsed<KillSwitch>(overall[0]?.before), changes: [] };
    for (const [index, { setting, before, after }] of this.#entries.entries()) {
      if (setting === 'killSwitch') this.#overall.changes.push({ index, value: parsed<KillSwitch>(after) });
      else this.#note(index, parsed<Restriction>(before), parsed<Restriction>(after));
    }
  }

  #note(index: number, before: Restriction | undefined, value: Restriction | undefined): void {
    const row = before ?? value;
    if (row === undefined) return;
    const name = subjectInWords(row);
    const turns = this.#subjects.get(name) ?? { first: before, changes: [] };
    turns.changes.push({ index, value });
    this.#subjects.set(name, turns);
  }

  get count(): number {
    return this.#entries.length;
  }

  indexOf(entry: AuditEntry): number | undefined {
    return this.#indices.get(entry);
  }

  /** How many changes there were before a moment, or also in it. */
  before(atMs: number, isInclusive: boolean): number {
    let [low, high] = [0, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const changedMs = this.#entries[middle]?.atMs ?? 0;
      if (changedMs < atMs || (isInclusive && changedMs === atMs)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Whether a switch or a pause stops the signal on all of its accounts. */
  stop({ keyLabel, action, orders }: AskedAt, slot: number): boolean {
    const overall = valueAt(this.#overall, slot);
    if (overall && killSwitchGate(overall, action)) return true;
    const row = (name: string): readonly Restriction[] => {
      const turns = this.#subjects.get(name);
      const value = turns && valueAt(turns, slot);
      return value ? [value] : [];
    };
    if (row(`key:${keyLabel}`).some(pauseRefusal)) return true;
    return orders.every(({ account, order: { exchange, market, strategy } }) => {
      const names = [`key:${keyLabel}`, `strategy:${strategy}`, `account:${exchange}:${account}`];
      const rows = [...names, `symbol:${market}`, `symbol:${exchange}:${market}`].flatMap(row);
      return thrownSwitch(rows, action) !== undefined || (isEntry(action) && rows.some(pauseRefusal));
    });
  }
}

const valueAt = <T>({ first, changes }: Turns<T>, slot: number): T | undefined => {
  const last = changes.findLast(({ index }) => index < slot);
  return last ? last.value : first;
};

const parsed = <T>(text: string | null | undefined): T | undefined =>
  text === null || text === undefined ? undefined : (JSON.parse(text) as T);
