// The commands of the owner's chat that close positions: /close for some of them, /flatten for all, only after a yes.

import { keyInWords } from '../books/position.ts';
import { STATUS_OF } from '../books/trade-status.ts';
import { type Decimal, decimal, toText, ZERO } from '../decimal.ts';
import type { ClosedPosition, OwnerCloser } from '../execution/owner-close.ts';
import { readPositionKey } from '../intake/position-key.ts';
import { escapeHtml } from '../notifications/escape.ts';
import type { Asker, Reply } from './confirmations.ts';
import { list } from './render.ts';

/** What is closed after a yes. */
export interface RequestedClose {
  readonly positions: readonly string[] | 'all';
  readonly share: Decimal;
}

export interface CloseParts {
  readonly closer: Pick<OwnerCloser, 'open' | 'close'>;
  readonly newRequestId: () => string;
}

type Ask = (text: string, close: RequestedClose, asker: Asker) => Reply;

const USAGE = 'Use /close binance:BTCUSDT:LONG, with 0.5 behind it for half of the position. /positions lists them';
const WHOLE = decimal('1');

export function createCloseCommands({ closer }: Pick<CloseParts, 'closer'>, ask: Ask) {
  const sizes = (): ReadonlyMap<string, Decimal> =>
    new Map(closer.open().map(({ key, position }) => [key, position.quantity]));
  const asking = (close: RequestedClose, keys: readonly string[], asker: Asker): Reply => {
    const held = sizes();
    const part = close.share === WHOLE ? '' : `${toText(close.share)} of `;
    const lines = keys.map((key) => `${escapeHtml(key)}: ${part}${toText(held.get(key) ?? ZERO)}`);
    return ask(list('Really close at market?', lines, ''), close, asker);
  };
  return {
    close(words: readonly string[], asker: Asker): Reply {
      const last = words.at(-1) ?? '';
      const share = readShare(last);
      const names = (share === undefined ? words : words.slice(0, -1)).map(readPositionKey);
      const keys = names.map((name) => name && keyInWords(name)).filter((key) => key !== undefined);
      if (keys.length === 0 || keys.length < names.length) return { text: `${USAGE}. Nothing was changed.` };
      const missing = keys.find((key) => !sizes().has(key));
      if (missing !== undefined)
        return {
          text: `There is no open position ${escapeHtml(missing)}; /positions lists them. Nothing was changed.`,
        };
      return asking({ positions: keys, share: share ?? WHOLE }, keys, asker);
    },
    flatten(words: readonly string[], asker: Asker): Reply {
      if (words.length > 0) return { text: 'Use /flatten alone, or /close for some of them. Nothing was changed.' };
      const keys = [...sizes().keys()];
      return keys.length === 0 ? { text: 'None is open.' } : asking({ positions: 'all', share: WHOLE }, keys, asker);
    },
  };
}

/** `0.5`; undefined for what is no share, such as a position's name. */
function readShare(word: string): Decimal | undefined {
  const share = /^[01](\.\d{1,9})?$/.test(word) ? decimal(word) : ZERO;
  return share > ZERO && share <= WHOLE ? share : undefined;
}

/** After the yes: what became of each. */
export async function makeClose(close: RequestedClose, actor: string, parts: CloseParts): Promise<string> {
  const outcome = await parts.closer.close({ ...close, actor, requestId: parts.newRequestId() });
  // A yes counts once, and its request has no idempotency key.
  if ('duplicateOf' in outcome) throw new Error(`it was closed before as ${outcome.duplicateOf[0]}`);
  return list('Closed', outcome.closed.map(closedLine), 'None is open any more.');
}

export function closedLine(closed: ClosedPosition): string {
  const said = ((): string => {
    if ('missing' in closed) return `NOT closed. ${closed.missing}`;
    if ('failed' in closed) return `unknown, look at /trades (${closed.trade.requestId})`;
    if (closed.dispatched.kind !== 'settled') return 'waits for its venue and goes on by itself';
    const { state, executedQuantity, averagePrice, error } = closed.dispatched.settled;
    const filled = averagePrice ? ` ${toText(executedQuantity)} at ${toText(averagePrice)}` : '';
    return `${STATUS_OF[state]}${filled}${error ? `. ${error}` : ''}`;
  })();
  return escapeHtml(`${closed.key}: ${said}`);
}
