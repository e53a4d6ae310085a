// The commands of the owner's chat for stops: /stops lists them, /move moves a stop loss, also one that waits for its fill, only after
// a yes.

import { keyInWords, type ShortName } from '../books/position.ts';
import { type ShareName, type ShortShareName, shareInWords } from '../books/strategy-book.ts';
import { readPositionKey } from '../intake/position-key.ts';
import { type Level, levelText, readLevel } from '../level.ts';
import { escapeHtml } from '../notifications/escape.ts';
import type { Protections } from '../protection/protections.ts';

/** The stop loss that is moved after a yes. */
export interface RequestedMove extends ShortShareName {
  readonly setting: 'stops';
  readonly stopLoss: Level;
}

export interface MoveParts {
  readonly protections: Pick<Protections, 'list' | 'set' | 'waiting'>;
}

const USAGE =
  'Use /move binance:BTCUSDT:LONG 61000, or 2% or 50ticks from the fill; with the strategy behind it where there are several. /stops lists them';

/** The question before it is moved, or why there is none. */
export async function askToMove(
  words: readonly string[],
  { protections }: MoveParts,
): Promise<{ readonly text: string } | { readonly text: string; readonly change: RequestedMove }> {
  const [key = '', level = '', ...strategy] = words;
  const [name, stopLoss] = [readPositionKey(key), readLevel(level)];
  if (name === undefined || stopLoss === undefined) return { text: `${USAGE}. Nothing was changed.` };
  const waiting = (await protections.waiting()).flatMap((stop) => stop.share ?? []);
  const here = [...protections.list(), ...waiting].filter((each) => keyInWords(each) === keyInWords(name));
  const found: readonly ShareName[] = [...new Map(here.map((each) => [each.strategy, each])).values()];
  const named = strategy.length === 0 ? found : found.filter((each) => isNamed(each, strategy.join(' ')));
  const [share, ...others] = named;
  if (share === undefined) return { text: `${escapeHtml(nothingThere(name))} Nothing was changed.` };
  if (others.length > 0) {
    const names = named.map((each) => JSON.stringify(each.strategy)).join(', ');
    return {
      text: `Several strategies hold it: write one of ${escapeHtml(names)} behind the level. Nothing was changed.`,
    };
  }
  const { exchange, account, market, side } = share;
  const change = { setting: 'stops', exchange, account, market, side, strategy: share.strategy, stopLoss } as const;
  return {
    text: `Really move the stop loss of ${escapeHtml(shareInWords(share))} to <b>${levelText(stopLoss)}</b>?`,
    change,
  };
}

/** A chat command comes in small letters. */
const isNamed = ({ strategy }: ShareName, written: string): boolean => strategy.toLowerCase() === written;

const nothingThere = (name: ShortName): string =>
  `Nothing guards ${keyInWords(name)}; /stops lists what is guarded, and "signalbox stops set" sets the first stop.`;

/** After the yes. */
export async function moveStop(
  { setting: _, stopLoss, ...share }: RequestedMove,
  { protections }: MoveParts,
): Promise<string> {
  const changed = await protections.set(share, { stopLoss });
  if ('conflict' in changed) return `NOT moved: ${escapeHtml(changed.conflict)}.`;
  const waits = 'waiting' in changed ? ' It waits for the fill.' : '';
  return `Done. The stop loss of ${escapeHtml(shareInWords(share))} is ${levelText(stopLoss)}.${waits}`;
}
