// What a bar of a live run is told by: its alerts and its fills as events, each with an id that is the same however often it is run.
//
// | what                                         | its id is made of                                               |
// |----------------------------------------------|-----------------------------------------------------------------|
// | a fill                                       | the bar, and its place among the fills of the bar               |
// | what was left by a fill that nobody saw      | the bar: there is one at most                                   |
// | an alert once per bar                        | the bar and its call: a tick and the close may both raise it    |
// | an alert of a tick, of the frequency `all`   | the bar and the moment: each call is another alert              |
// | an alert of the close                        | the bar, and its place among the events of the bar              |

import type { LiveDone } from '../live-runner.ts';
import {
  type Deployment,
  type DeploymentEvent,
  type EventOrder,
  type LogEntry,
  MAX_EVENTS_PER_BAR,
  MAX_MESSAGE_CHARS,
  MAX_ORDERS_PER_BAR,
} from './deployment.ts';
import { eventId, uuidOf } from './event-id.ts';
import { decimalText } from './order-signal.ts';
import { type Fill, lateExitOf, leftOver, toldInTime, toldLate } from './told-position.ts';

type Alert = LiveDone['alerts'][number];

/** A fill that is too old to open anything. */
export interface StaleFill {
  /** In words. */
  readonly why: string;
  /** Whether no earlier look has shown it. */
  readonly isNew: boolean;
}

export interface Moment {
  readonly barTimeMs: number;
  readonly atMs: number;
  /** When the close or the tick was noticed that it is about. */
  readonly noticedAtMs: number;
  readonly isClosed: boolean;
  /** Where the bar stands. */
  readonly price: number;
  /** Ids of events of this bar that are stored already. */
  readonly known: ReadonlySet<string>;
  /** Ids of fills that came too late: of those only what closes something that was told acts. */
  readonly stale: ReadonlyMap<string, StaleFill>;
  /** What the fills told so far add up to; null where late ones close nothing. */
  readonly told: number | null;
}

export interface Told {
  readonly events: readonly DeploymentEvent[];
  readonly logs: readonly LogEntry[];
  /** What the told fills add up to now; undefined where that is not kept. */
  readonly toldPosition?: number | undefined;
}

export const fillId = (deploymentId: string, barTimeMs: number, place: number): string =>
  uuidOf(`${deploymentId}\n${barTimeMs}\nfill ${place}`);

const alertId = (
  deploymentId: string,
  { barTimeMs, atMs, isClosed }: Moment,
  alert: Alert,
  ordinal: number,
): string => {
  const { freq, site } = alert;
  if (freq === 'once_per_bar' && site !== undefined) return uuidOf(`${deploymentId}\n${barTimeMs}\nsite ${site}`);
  return isClosed
    ? eventId(deploymentId, barTimeMs, ordinal)
    : uuidOf(`${deploymentId}\n${barTimeMs}\ntick ${atMs} ${ordinal}`);
};

/** The fills come first: they are older than what the script says when it runs. */
export function barEvents(deployment: Deployment, { alerts, fills, position }: LiveDone, moment: Moment): Told {
  const orders = withLeftOver(deployment, orderEvents(deployment, fills, moment), position, moment);
  const said = alertEvents(deployment, alerts, moment, moment.known.size + orders.events.length);
  return { ...orders, events: [...orders.events, ...said.events], logs: [...orders.logs, ...said.logs] };
}

function orderEvents(deployment: Deployment, fills: readonly Fill[], moment: Moment): Told {
  const { barTimeMs, atMs, known, stale } = moment;
  const events: DeploymentEvent[] = [];
  const logs: LogEntry[] = [];
  let { told } = moment;
  const lastKnown = fills.findLastIndex((_, place) => known.has(fillId(deployment.id, barTimeMs, place)));
  for (const [place, fill] of fills.slice(0, MAX_ORDERS_PER_BAR).entries()) {
    const id = fillId(deployment.id, barTimeMs, place);
    const lateness = stale.get(id);
    const isLate = lateness !== undefined;
    // What is held has moved on since a fill before one that was told.
    if (known.has(id) || (isLate && place < lastKnown)) continue;
    const ordinal = known.size + events.length;
    const order = isLate ? lateExitOf(fill, fill.isSilent ? null : told) : orderOf(fill);
    if (lateness?.isNew) logs.push(...missedLines(fill, order?.contracts ?? 0, lateness.why, moment));
    if (fill.isSilent && told !== null) told = toldLate(told, fill);
    if (order === undefined) continue;
    const late = isLate ? ` It is late: ${lateness.why}.` : '';
    const line: LogEntry = { atMs, kind: 'order', message: orderWords(order) + late, barTimeMs, eventId: id };
    if (!fill.isSilent || moment.isClosed) logs.push(line);
    // The script said disable_alert: the log tells of it at the close, and nobody else is told.
    if (fill.isSilent) continue;
    if (told !== null) told = isLate ? order.after : toldInTime(told, fill);
    // The words of the script are about the whole fill: who acts on them must not open what was missed.
    const isPart = order.contracts !== fill.quantity && isLate;
    const message = shortened(isPart ? partWords(order, deployment) : fill.message);
    const words = { message, title: null, source: 'order', order } as const;
    // What comes late is as old as it is told: it does not wait any longer than it has.
    const createdAtMs = isLate ? atMs : moment.noticedAtMs;
    events.push({ id, deploymentId: deployment.id, barTimeMs, ordinal, ...words, createdAtMs });
  }
  const dropped = fills.length - MAX_ORDERS_PER_BAR;
  const more = `${dropped} more fills on this bar were not sent: at most ${MAX_ORDERS_PER_BAR} of a bar are.`;
  if (dropped > 0 && moment.isClosed) logs.push({ atMs, kind: 'error', message: more, barTimeMs });
  return { events, logs, toldPosition: told ?? undefined };
}

/**
 * At the close everything the script did is known. Where more was told than it holds, the fill that left it was on a bar
 * that ended with an error, or beyond the fills that one bar may tell: that is made up as well.
 */
function withLeftOver(deployment: Deployment, orders: Told, position: number | null, moment: Moment): Told {
  const { barTimeMs, atMs, isClosed, price, known } = moment;
  const { events, logs, toldPosition } = orders;
  if (!isClosed || position === null || toldPosition === undefined) return orders;
  const order = leftOver(toldPosition, position, price);
  if (order === undefined) return orders;
  const id = uuidOf(`${deployment.id}\n${barTimeMs}\nleft`);
  const message = `${orderWords(order)} It is late: the script has left it on a bar that was not told.`;
  const where = { id, deploymentId: deployment.id, barTimeMs, ordinal: known.size + events.length };
  const words = { message: partWords(order, deployment), title: null, source: 'order', order } as const;
  return {
    events: [...events, { ...where, ...words, createdAtMs: atMs }],
    logs: [...logs, { atMs, kind: 'order', message, barTimeMs, eventId: id }],
    toldPosition: order.after,
  };
}

/** A line for the part of a late fill that does not act. */
function missedLines(
  { id, direction, quantity, price }: Fill,
  closed: number,
  why: string,
  moment: Moment,
): LogEntry[] {
  const missed = Number(decimalText(quantity - closed));
  if (missed <= 0) return [];
  const { atMs, barTimeMs } = moment;
  const part = closed === 0 ? `${quantity}` : `${missed} of ${quantity}`;
  const what = `${id}: ${direction > 0 ? 'buy' : 'sell'} ${part} at ${price}`;
  const when = `it filled on the bar of ${new Date(barTimeMs).toISOString()}, and ${why}`;
  return [{ atMs, kind: 'missed', message: `${what} was missed and will not act: ${when}.`, barTimeMs }];
}

const partWords = ({ action, contracts, after }: EventOrder, { symbol }: Deployment): string =>
  `Order ${action} @ ${contracts} filled late on ${symbol}. Of the position that was told, ${after} is left`;

function alertEvents({ id: deploymentId }: Deployment, alerts: readonly Alert[], moment: Moment, from: number): Told {
  const { barTimeMs, atMs, noticedAtMs, known } = moment;
  const fresh = alerts
    .filter(({ timeMs }) => timeMs === barTimeMs)
    .map((alert, place) => ({ ...alert, id: alertId(deploymentId, moment, alert, from + place) }))
    .filter(({ id }) => !known.has(id));
  const room = Math.max(0, MAX_EVENTS_PER_BAR - from);
  const events = fresh.slice(0, room).map(
    ({ id, message, title, source }, place): DeploymentEvent => ({
      ...{ id, deploymentId, barTimeMs, ordinal: from + place, message: shortened(message), title: title ?? null },
      ...{ source, order: null, createdAtMs: noticedAtMs },
    }),
  );
  const dropped = fresh.length - events.length;
  const logs: LogEntry[] = events.map(({ id, message }) => ({ atMs, kind: 'alert', message, barTimeMs, eventId: id }));
  const more = `${dropped} more alerts on this bar were not sent: at most ${MAX_EVENTS_PER_BAR} of a bar are.`;
  if (dropped > 0 && moment.isClosed) logs.push({ atMs, kind: 'error', message: more, barTimeMs });
  return { events, logs };
}

function orderOf({ id, direction, quantity, price, before, after, stop, limit }: Fill): EventOrder {
  const action = direction > 0 ? ('buy' as const) : ('sell' as const);
  return { id, action, contracts: quantity, price, before, after, stopLoss: stop, takeProfit: limit };
}

const orderWords = ({ id, action, contracts, price, before, after }: EventOrder): string =>
  shortened(`${id}: ${action} ${contracts} at ${price}, from ${before} to ${after}.`);

export const shortened = (text: string): string =>
  (text.length > MAX_MESSAGE_CHARS ? `${text.slice(0, MAX_MESSAGE_CHARS - 1)}…` : text).toWellFormed();
