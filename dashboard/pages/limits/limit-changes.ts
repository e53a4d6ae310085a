// What a form of limits changes: only what differs is sent, and what was emptied is taken away.

import type { TradeLimits } from '../../server/setup-answers.ts';
import { LIST_LIMITS, type ListLimit, NUMBER_LIMITS, type NumberLimit, windowWords } from './limit-words.ts';

/** As it is typed and chosen. */
export interface LimitForm {
  readonly numbers: Readonly<Record<NumberLimit, string>>;
  /** Empty: nothing is excluded. */
  readonly lists: Readonly<Record<ListLimit, readonly string[]>>;
  readonly lockStops: string;
  readonly lockSeconds: string;
  /** One a line. */
  readonly windows: string;
}

export function formOf(limits: TradeLimits): LimitForm {
  const { lockAfterStops: lock, tradingWindows = [] } = limits;
  const numbers = NUMBER_LIMITS.map(([limit]) => [limit, String(limits[limit] ?? '')] as const);
  return {
    numbers: Object.fromEntries(numbers) as LimitForm['numbers'],
    lists: {
      ...{ symbols: limits.symbols ?? [], venues: limits.venues ?? [] },
      ...{ actions: limits.actions ?? [], accounts: limits.accounts ?? [] },
    },
    lockStops: String(lock?.stops ?? ''),
    lockSeconds: String(lock?.seconds ?? ''),
    windows: tradingWindows.map(windowWords).join('\n'),
  };
}

/** A text that is no number, or no time, is sent as it is: the server says what is wrong with it. */
export function limitChanges(now: TradeLimits, form: LimitForm): Readonly<Record<string, unknown>> {
  const before = formOf(now);
  const changes: Record<string, unknown> = {};
  for (const [limit] of NUMBER_LIMITS) {
    const text = form.numbers[limit].trim();
    const wanted = text === '' ? null : numberOf(text);
    if (wanted !== (now[limit] ?? null)) changes[limit] = wanted;
  }
  for (const list of LIST_LIMITS) {
    const names = form.lists[list];
    if (names.join() !== before.lists[list].join()) changes[list] = names.length === 0 ? null : names;
  }
  const [stops, seconds] = [form.lockStops.trim(), form.lockSeconds.trim()];
  if (stops !== before.lockStops || seconds !== before.lockSeconds)
    changes.lockAfterStops =
      stops === '' && seconds === '' ? null : { stops: numberOf(stops), seconds: numberOf(seconds) };
  const lines = linesOf(form.windows);
  if (lines.join('\n') !== before.windows) changes.tradingWindows = lines.length === 0 ? null : lines.map(windowOf);
  return changes;
}

function numberOf(text: string): number | string {
  const value = Number(text);
  return text !== '' && Number.isFinite(value) ? value : text;
}

const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const WINDOW = /^((?:(?:mon|tue|wed|thu|fri|sat|sun)[\s,]+)*)(\S+?)\s*[–-]\s*(\S+)(?:\s+(\S+))?$/i;

function windowOf(line: string): object {
  const [, days = '', from = line, to = '', zone] = WINDOW.exec(line) ?? [];
  const named = days.toLowerCase().match(/[a-z]+/g);
  return { ...(named !== null && { days: named }), from, to, ...(zone !== undefined && { zone }) };
}
