// Which position mode each account has and had: it is remembered, and a change is in the audit, so that a replay knows it.

import { type AccountName, accountInWords } from '../accounts.ts';
import type { PositionMode, PositionSide } from '../venue.ts';
import type { AuditEntry, SettingsStore } from './controls.ts';

/** The name of the setting in the store and in the audit. */
export const POSITION_MODES = 'positionModes';

/** By exchange and name, `binance:scalp`, also for main. */
export type PositionModes = Readonly<Record<string, PositionMode>>;
type Account = Omit<AccountName, 'mode'>;

const nameOf = ({ exchange, account }: Account): string => `${exchange}:${account}`;

export const rememberedModes = (store: Pick<SettingsStore, 'get'>): PositionModes =>
  modesIn(store.get(POSITION_MODES) ?? null);

const modesIn = (text: string | null): PositionModes => (text === null ? {} : (JSON.parse(text) as PositionModes));

export const modeIn = (modes: PositionModes, account: Account): PositionMode | undefined => modes[nameOf(account)];

export interface ModeMemory {
  readonly settings: Pick<SettingsStore, 'get' | 'set'>;
  /** Keeps a value without an entry in the audit. */
  remember(name: string, value: string, atMs: number): Promise<void>;
}

/** An account that is new is nobody's change: only those that had another mode before are in the audit. */
export async function rememberModes(
  { settings, remember }: ModeMemory,
  accounts: readonly (Account & { readonly positionMode: PositionMode })[],
  atMs: number,
): Promise<void> {
  const known = rememberedModes(settings);
  const now = Object.fromEntries(accounts.map((account) => [nameOf(account), account.positionMode]));
  const added = Object.keys(now).some((name) => known[name] === undefined);
  const changed = Object.keys(now).filter((name) => known[name] !== undefined && known[name] !== now[name]);
  const value = JSON.stringify({ ...known, ...now });
  const only = (modes: PositionModes): string =>
    JSON.stringify(Object.fromEntries(changed.map((name) => [name, modes[name]])));
  if (changed.length > 0) {
    const [before, after] = [only(known), only(now)];
    await settings.set(POSITION_MODES, value, { atMs, actor: 'settings', setting: POSITION_MODES, before, after });
  } else if (added) await remember(POSITION_MODES, value, atMs);
}

/** A side of a market on which an account has something. */
export interface MarketSide {
  readonly market: string;
  readonly side: PositionSide;
}

/**
 * The markets for which an account that is to become one-way must stay hedge. One-way nets the two sides of a market: a
 * close of the one would end at what the other leaves of it, and stops would find no position.
 */
export function twoSidedMarkets(
  known: PositionMode | undefined,
  { positions, entries }: { readonly positions: readonly MarketSide[]; readonly entries: readonly MarketSide[] },
): readonly string[] {
  // A one-way account may have entries waiting on both sides too: the first that fills ends the other.
  const sides = known === 'hedge' ? [...positions, ...entries] : positions;
  const marketsOn = (wanted: PositionSide) => sides.filter(({ side }) => side === wanted).map(({ market }) => market);
  const [long, short] = [new Set(marketsOn('LONG')), new Set(marketsOn('SHORT'))];
  return [...long].filter((market) => short.has(market)).sort();
}

/** More than these are only counted. */
const NAMED_MARKETS = 3;

/** Why an account is not one-way as it should be, and what its owner can do. */
export function keptHedgeInWords(account: Account, markets: readonly string[]): string {
  const others = markets.length - NAMED_MARKETS;
  const named = `${markets.slice(0, NAMED_MARKETS).join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
  return (
    `${accountInWords(account)} keeps position mode hedge instead of one-way: at the start ${named} had positions or ` +
    'waiting entries on both sides; close or cancel one side, then start again'
  );
}

/** The mode of an account at a moment of the past; `present` is what it has now. `audit` is the oldest first. */
export function modeAt(
  audit: readonly AuditEntry[],
  account: Account,
  { atMs, present }: { readonly atMs: number; readonly present: PositionMode },
): PositionMode {
  const changes = audit.filter(
    ({ setting, after }) => setting === POSITION_MODES && modeIn(modesIn(after), account) !== undefined,
  );
  const next = changes.find((entry) => entry.atMs > atMs);
  return (next && modeIn(modesIn(next.before), account)) ?? present;
}
