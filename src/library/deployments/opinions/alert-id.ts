// The name of an alert that both sides can make: TradingView from its placeholders, we from the fill that our script has.
//
//   <name>/{{strategy.order.id}}/{{strategy.order.action}}/{{strategy.market_position}}/{{time}}
//
// Sizes and prices are no part of it: they differ a little from feed to feed, and two names of one alert would trade twice.
// The bar and the order tell one fill from the next. Two fills of one bar that agree in all of that share a name, and of those
// the gateway trades one.

import type { Deployment, EventOrder, OpinionTarget } from '../deployment.ts';

/** The gateway's own limit. */
const MAX_CHARS = 128;
const TIME = /(?:^|[^0-9A-Za-z])(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)$/;
const PARTS = /^(.*)\/(buy|sell)\/(long|short|flat)\/(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)$/;
/** Random enough to be nobody else's, and short enough to be read. */
const DEFAULT_NAME_CHARS = 12;

/** What all names of a deployment's alerts begin with. */
export const alertNameOf = ({ alertName }: OpinionTarget, { id }: Pick<Deployment, 'id'>): string =>
  alertName ?? id.slice(-DEFAULT_NAME_CHARS);

export const idTemplate = (name: string): string =>
  `${name}/{{strategy.order.id}}/{{strategy.order.action}}/{{strategy.market_position}}/{{time}}`;

/** Undefined where it is longer than a name may be. */
export function alertIdOf(
  { id, action, after }: Pick<EventOrder, 'id' | 'action' | 'after'>,
  barTimeMs: number,
  name: string,
): string | undefined {
  const made = spelled([name, id, action, sideOf(after), timeText(barTimeMs)].join('/'));
  return made.length > MAX_CHARS ? undefined : made;
}

/** As the gateway spells names before it compares them: how many blanks there are makes no difference. */
export const spelled = (name: string): string =>
  name
    .replace(/[\p{Zs}\s]+/gu, ' ')
    .trim()
    .normalize('NFC');

export const sideOf = (size: number): 'long' | 'short' | 'flat' => {
  if (size === 0) return 'flat';
  return size > 0 ? 'long' : 'short';
};

/** As {{time}} renders it. */
export const timeText = (timeMs: number): string => `${new Date(timeMs).toISOString().slice(0, 19)}Z`;

/** The bar that a name ends with; null where it does not tell one. */
export function barTimeIn(alertId: string): number | null {
  const timeMs = Date.parse(TIME.exec(alertId)?.[1] ?? '');
  return Number.isNaN(timeMs) ? null : timeMs;
}

/**
 * Whether two names that are not the same may be of one alert: another order id, another side, or a bar beside it, and only
 * one of these.
 */
export function isNear(a: string, b: string, timeframeMs: number): boolean {
  const [one, other] = [PARTS.exec(a), PARTS.exec(b)];
  if (one === null || other === null) return false;
  const [, orderA = '', actionA, positionA] = one;
  const [, orderB = '', actionB, positionB] = other;
  const apartMs = Math.abs((barTimeIn(a) ?? 0) - (barTimeIn(b) ?? 0));
  if (apartMs > timeframeMs || nameOf(orderA) !== nameOf(orderB)) return false;
  const differing = [orderA !== orderB, actionA !== actionB || positionA !== positionB, apartMs > 0];
  return differing.filter(Boolean).length === 1;
}

/** The order id may hold a slash, the name in front of it does not. */
const nameOf = (nameAndOrder: string): string => nameAndOrder.slice(0, nameAndOrder.indexOf('/'));
