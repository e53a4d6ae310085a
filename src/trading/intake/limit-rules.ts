// The limits that need no look at the market: pauses, kill switches, lists and trading windows, of everybody whom a signal
// concerns. They are asked before a signal is accepted, and again when its turn has come.

import { ACTION_MEANING } from '../action.ts';
import type { SignalOrder } from '../signal.ts';
import type { KillSwitch } from './controls.ts';
import {
  type LimitSubject,
  type Restriction,
  type SubjectKind,
  subjectInWords,
  type TradeLimits,
} from './restrictions.ts';
import { isInWindow, windowInWords } from './trading-windows.ts';

/** A refusal for each limit: 422, but for what a key may do at all, which is 403. */
export const LIMIT_CODES = [
  'KEY_PAUSED',
  'STRATEGY_PAUSED',
  'ACCOUNT_PAUSED',
  'SYMBOL_PAUSED',
  'KEY_OUT_OF_SCOPE',
  'LIMIT_VENUES',
  'LIMIT_SYMBOLS',
  'LIMIT_ACTIONS',
  'LIMIT_ACCOUNTS',
  'LIMIT_TRADING_WINDOW',
  'LIMIT_RATE',
  'LIMIT_ENTRIES_PER_DAY',
  'LIMIT_COOLDOWN',
  'LIMIT_LOCKED_AFTER_STOPS',
  'LIMIT_DAILY_LOSS',
  'LIMIT_OPEN_POSITIONS',
  'LIMIT_LARGEST_ORDER',
  'LIMIT_LARGEST_POSITION',
  'LIMIT_LEVERAGE',
  'LIMIT_PRICE',
  'LIMIT_SPREAD',
] as const;
export type LimitCode = (typeof LIMIT_CODES)[number];
const codes: ReadonlySet<string> = new Set(LIMIT_CODES);
export const isLimitCode = (code: string | undefined): code is LimitCode => code !== undefined && codes.has(code);

export interface LimitRefusal {
  readonly code: LimitCode;
  /** Whose limit it is, and what would be allowed. */
  readonly message: string;
}

/** What a signal is on one account. */
export interface Asked {
  readonly account: string;
  readonly order: Pick<SignalOrder, 'exchange' | 'market' | 'action'>;
}

export const isEntry = (action: SignalOrder['action']): boolean => !ACTION_MEANING[action].closes;

const PAUSED: Readonly<Record<SubjectKind, LimitCode>> = {
  key: 'KEY_PAUSED',
  strategy: 'STRATEGY_PAUSED',
  account: 'ACCOUNT_PAUSED',
  symbol: 'SYMBOL_PAUSED',
};

/** A paused key sends nothing at all; a pause of anything else lets positions be closed. */
export function pauseRefusal(restriction: Restriction): LimitRefusal | undefined {
  const { kind, name, pause } = restriction;
  if (pause === undefined) return undefined;
  const why = pause.reason === undefined ? '' : ` (${pause.reason})`;
  const effect = kind === 'key' ? 'its signals are refused' : 'it takes no new entries, closing signals pass';
  const remedy = `resume it to trade again ("signalbox resume ${subjectInWords(restriction)}")`;
  return { code: PAUSED[kind], message: `the ${kind} ${JSON.stringify(name)} is paused${why}: ${effect}; ${remedy}` };
}

const LISTS = {
  venues: { code: 'LIMIT_VENUES', of: ({ order }: Asked) => order.exchange },
  symbols: { code: 'LIMIT_SYMBOLS', of: ({ order }: Asked) => order.market },
  actions: { code: 'LIMIT_ACTIONS', of: ({ order }: Asked) => order.action },
  accounts: { code: 'LIMIT_ACCOUNTS', of: ({ account, order }: Asked) => `${order.exchange}:${account}` },
} as const;
const LIST_NAMES = Object.keys(LISTS) as (keyof typeof LISTS)[];

/** What a key may trade at all is its scope, and binds its closes too. */
export function listRefusal(restriction: Restriction, asked: Asked): LimitRefusal | undefined {
  const { kind, name, limits } = restriction;
  for (const list of LIST_NAMES) {
    const { code, of } = LISTS[list];
    const allowed: readonly string[] | undefined = limits[list];
    const wanted = of(asked);
    if (allowed === undefined || allowed.includes(wanted)) continue;
    return {
      code: kind === 'key' ? 'KEY_OUT_OF_SCOPE' : code,
      message: `the ${kind} ${JSON.stringify(name)} may trade ${allowed.join(', ')} only (${list}), not ${wanted}`,
    };
  }
  return undefined;
}

/** For entries: nothing of this stops a close. */
export function entryRefusal(restriction: Restriction, asked: Asked, nowMs: number): LimitRefusal | undefined {
  return pauseRefusal(restriction) ?? listRefusal(restriction, asked) ?? windowRefusal(restriction, nowMs);
}

/** Of everybody concerned, in their order. */
export function entryRefusalOf(
  restrictions: readonly Restriction[],
  asked: Asked,
  nowMs: number,
): LimitRefusal | undefined {
  for (const restriction of restrictions) {
    const refused = entryRefusal(restriction, asked, nowMs);
    if (refused) return refused;
  }
  return undefined;
}

function windowRefusal(restriction: Restriction, nowMs: number): LimitRefusal | undefined {
  const { tradingWindows: windows } = restriction.limits;
  if (windows === undefined || windows.some((window) => isInWindow(window, nowMs))) return undefined;
  const allowed = windows.length === 0 ? 'never' : windows.map(windowInWords).join(', ');
  return refusal(restriction, 'tradingWindows', 'LIMIT_TRADING_WINDOW', `entries are allowed ${allowed}`);
}

/** Every message begins with whose limit it is. */
export const refusal = (
  subject: LimitSubject,
  limit: keyof TradeLimits,
  code: LimitCode,
  words: string,
): LimitRefusal => ({
  code,
  message: `${limit} of ${subject.kind} ${JSON.stringify(subject.name)}: ${words}; nothing was sent`,
});

/** The switch that stops a signal, with whose it is. */
export function thrownSwitch(
  restrictions: readonly Restriction[],
  action: SignalOrder['action'],
): { readonly subject: LimitSubject; readonly killSwitch: KillSwitch } | undefined {
  for (const { kind, name, killSwitch } of restrictions)
    if (killSwitch?.active && (killSwitch.scope === 'all' || isEntry(action)))
      return { subject: { kind, name }, killSwitch };
  return undefined;
}
