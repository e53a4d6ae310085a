// Says what an opinion is, from what both sides have, the time that has passed, and whether we could look at all.

import type { Deployment, OpinionTarget } from '../deployment.ts';
import type { AlertArrival } from '../ports.ts';
import { sideOf } from './alert-id.ts';
import { ANY_PERCENT, type ExpectedAlert, type Opinion, SENT_BY_US } from './opinion.ts';
import type { Sight } from './opinion-store.ts';

export interface Verdict {
  readonly state: Opinion['state'];
  readonly words: string;
}

/** What is known of our own side when something is judged. */
export interface OwnSide {
  readonly deployment: Deployment;
  readonly target: OpinionTarget;
  readonly sight: Sight;
  readonly nowMs: number;
  /** When our market last moved, or a bar of it closed; undefined where it has not been seen yet. */
  readonly lookedAtMs: number | undefined;
}

const lateAfterMs = ({ lateAfterSeconds }: OpinionTarget): number => lateAfterSeconds * 1000;
/** What came in time may be a moment on its way to the disk, and is asked for once a second. */
const ON_ITS_WAY_MS = 2000;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** Of an alert that both sides have. */
export function compared(
  { alertId, isGone, sent }: Opinion,
  expected: ExpectedAlert,
  arrival: AlertArrival,
  target: OpinionTarget,
): Verdict {
  if (isGone)
    return { state: 'repainted', words: 'It was there while the bar was open, and the closed bar does not have it.' };
  const differences = [
    ...(arrival.alertId === alertId ? [] : [`its name is "${arrival.alertId}"`]),
    ...differencesOf(expected, arrival, target),
  ];
  const afterMs = arrival.receivedAtMs - expected.atMs;
  const refused = outcomeWords(arrival, sent);
  if (differences.length > 0)
    return { state: 'different', words: `TradingView's alert differs: ${differences.join('; ')}.${refused}` };
  if (afterMs > lateAfterMs(target)) return { state: 'late', words: `It came ${seconds(afterMs)} late.${refused}` };
  return { state: 'confirmed', words: refused.trim() };
}

/** A duplicate of what we sent is what was wanted; any other refusal its owner should know of. */
function outcomeWords({ decision }: AlertArrival, sent: string | null): string {
  if (decision === 'accepted') return '';
  if (decision === 'DUPLICATE_SIGNAL' && sent?.startsWith(SENT_BY_US))
    return ' It was sent by us before, and not traded again.';
  return ` The gateway refused it: ${decision}.`;
}

function differencesOf(
  { action, quantity, price, before }: ExpectedAlert,
  arrival: AlertArrival,
  { quantityTolerancePercent, priceTolerancePercent }: OpinionTarget,
): string[] {
  const found: string[] = [];
  if (arrival.action !== action) found.push(`it says ${arrival.action}, our script ${action}`);
  if (isOff(arrival.quantity, quantity, quantityTolerancePercent))
    found.push(`its quantity is ${arrival.quantity}, ours ${quantity}`);
  const theirs = priceIn(arrival.comment);
  if (isOff(theirs, price, priceTolerancePercent)) found.push(`its price is ${theirs}, ours ${price}`);
  if (arrival.before === null || before === null) return found;
  const { position, size } = arrival.before;
  if (position !== sideOf(before)) found.push(`it was ${position} before, our script ${sideOf(before)}`);
  else if (isOff(size, Math.abs(before), quantityTolerancePercent))
    found.push(`it held ${size} before, our script ${Math.abs(before)}`);
  return found;
}

/** Binary fractions are off by a hair. */
const HAIR = 1 + 1e-9;

/** Where one of the two is not known there is nothing to compare. */
const isOff = (theirs: number | null, ours: number | null, percent: number): boolean =>
  theirs !== null &&
  ours !== null &&
  percent < ANY_PERCENT &&
  Math.abs(theirs - ours) > (percent / 100) * Math.abs(ours) * HAIR;

/** The pasted text has it behind the id of the order. */
function priceIn(comment: string | null): number | null {
  const price = Number(/ @ ([0-9.eE+-]+)$/.exec(comment ?? '')?.[1] ?? Number.NaN);
  return Number.isFinite(price) ? price : null;
}

/** Of an alert that only our script has; undefined while its time is not over. */
export function awaited({ isGone }: Opinion, expected: ExpectedAlert, { target, nowMs }: OwnSide): Verdict | undefined {
  if (isGone)
    return {
      state: 'repainted',
      words: 'Our script had it while the bar was open, and the closed bar does not have it.',
    };
  const waitedMs = nowMs - expected.atMs;
  if (waitedMs <= lateAfterMs(target) + ON_ITS_WAY_MS) return undefined;
  return { state: 'missing', words: `It did not come within ${seconds(lateAfterMs(target))}.` };
}

/** Of an alert that only TradingView has; undefined while our script may still have it. */
export function unexpected(opinion: Opinion, arrival: AlertArrival, own: OwnSide): Verdict | undefined {
  const { deployment, target, nowMs } = own;
  const { timeframeMs, lastBarTimeMs, scriptType } = deployment;
  if (nowMs <= arrival.receivedAtMs + lateAfterMs(target)) return undefined;
  const { barTimeMs } = opinion;
  const isAwaited = scriptType === 'indicator' && barTimeMs !== null && lastBarTimeMs < barTimeMs;
  // The alerts of an indicator are looked at when the bar closes.
  if (isAwaited && nowMs <= barTimeMs + timeframeMs + lateAfterMs(target)) return undefined;
  const blind = isAwaited ? `our own bars stop at ${isoOf(lastBarTimeMs)}` : blindness(opinion, arrival, own);
  if (blind !== undefined) return { state: 'no-opinion', words: `TradingView sent it, and ${blind}.` };
  if (scriptType === 'indicator' && barTimeMs !== null && arrival.receivedAtMs < barTimeMs + timeframeMs)
    return { state: 'repainted', words: 'It came while the bar was open, and the closed bar does not have it.' };
  return { state: 'extra', words: 'TradingView sent it, and our script does not have it.' };
}

/** Why we cannot know, in words; undefined where we have looked. */
function blindness(
  { barTimeMs }: Opinion,
  { receivedAtMs }: AlertArrival,
  { deployment, target, sight, nowMs, lookedAtMs }: OwnSide,
): string | undefined {
  const { timeframeMs, lastBarTimeMs, scriptType } = deployment;
  // Without a bar in its name: the one that had closed when it came.
  const barMs = barTimeMs ?? Math.floor(receivedAtMs / timeframeMs) * timeframeMs - timeframeMs;
  if (receivedAtMs <= sight.sinceMs + lateAfterMs(target)) return 'our script was not running yet';
  if (sight.blindBarMs !== undefined && barMs <= sight.blindBarMs) return 'our script has missed that bar';
  if (nowMs - lateAfterMs(target) >= lastBarTimeMs + 2 * timeframeMs)
    return `our own bars stop at ${isoOf(lastBarTimeMs)}`;
  const isForming = scriptType === 'strategy' && lastBarTimeMs < barMs;
  if (isForming && (lookedAtMs === undefined || lookedAtMs < receivedAtMs)) return 'our own market has not moved since';
  return undefined;
}

const isoOf = (timeMs: number): string => new Date(timeMs).toISOString();
