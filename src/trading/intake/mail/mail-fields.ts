// The fields a mail can name, and how the words and numbers people type in a mail become their values.

import { EXCHANGES, type Exchange } from '../../../exchanges/exchange.ts';
import { ACTIONS, type Action } from '../../signal.ts';

/** Not yet checked: the same schema as for the webhook does that. */
export type MailFields = Readonly<Record<string, unknown>>;

/** The fields that make a trade; a mail that names them twice must name them alike. */
export const TRADE_FIELDS = ['exchange', 'action', 'symbol', 'quantity', 'price', 'leverage'] as const;
export type TradeField = (typeof TRADE_FIELDS)[number];
const NEEDED = ['exchange', 'action', 'symbol', 'quantity'] as const;

/** Something in a mail that says what to trade, whole or in part. */
export interface Statement {
  readonly fields: MailFields;
  readonly faults: readonly string[];
}

const HOW_TO_ADD: Readonly<Record<(typeof NEEDED)[number], string>> = {
  exchange: `add one of ${EXCHANGES.join(', ')}`,
  action: `add one of ${ACTIONS.join(', ')}`,
  symbol: 'add a market such as BTCUSDT',
  quantity: 'add a size such as 0.01',
};

/** What a statement lacks, one sentence each; `told` are fields that have a fault already. */
export const missingIn = (fields: MailFields, told: ReadonlySet<string> = new Set()): string[] =>
  NEEDED.filter((name) => fields[name] === undefined && !told.has(name)).map(
    (name) => `${name}: is missing, ${HOW_TO_ADD[name]}`,
  );

const PLAIN_NUMBER = /^-?\d{1,40}(?:\.\d{1,40})?$/;
const NUMBER_LIKE = /^[+-]?[$€£]?[.,]?\d[\d.,'’_]*(?:e[+-]?\d*)?%?$/i;

export const NOT_PLAIN =
  'is not a plain number, write digits with a point before the decimals and nothing between the thousands, such as 1000.5';

/** "1,000.5" may mean two numbers and "0,5" none: only the plain form is read. */
export const plainNumber = (text: string): number | undefined => (PLAIN_NUMBER.test(text) ? Number(text) : undefined);
export const isNumberLike = (text: string): boolean => text.length <= 64 && NUMBER_LIKE.test(text);

const LEVERAGE = /^(?:x(\S+)|(\S+)x)$/i;

/** The number in `x10` or `10x`, as text. */
export function leverageText(word: string): string | undefined {
  const match = LEVERAGE.exec(word);
  const text = match?.[1] ?? match?.[2];
  return text !== undefined && isNumberLike(text) ? text : undefined;
}

/** `LONG`, `close long`, `Close_Short`; undefined for every other word. */
export function actionOf(words: string): Action | undefined {
  const name = words.toUpperCase().replace(/[ -]/g, '_');
  return ACTIONS.find((action) => action === name);
}

export const exchangeOf = (word: string): Exchange | undefined =>
  EXCHANGES.find((exchange) => exchange === word.toLowerCase());
