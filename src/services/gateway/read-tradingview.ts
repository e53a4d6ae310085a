// Reads what TradingView's strategy placeholders render into one of the four actions; what is unclear is refused, not guessed.
//
// | order | position after it | action                                                        |
// |-------|-------------------|---------------------------------------------------------------|
// | buy   | long              | LONG (after a short: a reversal, sized by the new position)   |
// | buy   | flat or short     | CLOSE_SHORT                                                   |
// | sell  | short             | SHORT (after a long: a reversal, sized by the new position)   |
// | sell  | flat or long      | CLOSE_LONG                                                    |

import { ACTION_MEANING } from '../../trading/action.ts';
import { ACTIONS, type Action } from '../../trading/signal.ts';
import { checkShape, invalid, orderOf, type ReadSignal, readJsonBody } from './read-signal.ts';
import { signalSchema, type TradingviewBody, tradingviewSchema } from './schemas.ts';
import { unknownFields } from './unknown-fields.ts';

const SNAKE_CASE = {
  market_position: 'marketPosition',
  prev_market_position: 'prevMarketPosition',
  market_position_size: 'marketPositionSize',
} as const;

const ALERT_FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys(tradingviewSchema.shape),
  ...Object.keys(SNAKE_CASE),
]);

export function readTradingview(body: Uint8Array): ReadSignal {
  const value = readJsonBody(body);
  const unknown = unknownFields(value, ALERT_FIELDS);
  const alert = checkShape(tradingviewSchema, withFieldNames(value), unknown.faults);
  const faults: string[] = [];
  const action = actionOf(alert, faults);
  const quantity = quantityOf(alert, action, faults);
  if (faults.length > 0) throw invalid(faults);
  // One template serves entries and exits: an exit must not fail over the stops of an entry.
  const closes = action !== undefined && ACTION_MEANING[action].closes;
  const signal = {
    apiKey: alert.apiKey,
    exchange: alert.exchange.toLowerCase(),
    action,
    symbol: alert.symbol ?? alert.ticker,
    quantity,
    price: numberOf('price', alert.price, faults),
    leverage: numberOf('leverage', alert.leverage, faults),
    idempotencyKey: alert.idempotencyKey,
    notify: alert.notify,
    ...(closes ? {} : stopsOf(alert, faults)),
  };
  if (faults.length > 0) throw invalid(faults);
  const warnings = [...unknown.warnings, ...sizeIgnored(alert)];
  return { ...orderOf(checkShape(signalSchema, signal)), warnings };
}

/** Many templates carry the contracts of the strategy for information, beside a size of their own. */
const sizeIgnored = ({ quantity, contracts }: TradingviewBody): readonly string[] =>
  quantity === undefined || contracts === undefined || Number(quantity) === Number(contracts)
    ? []
    : ['contracts: was ignored because quantity is given; send one of them'];

const stopsOf = ({ trailPercent, stopLoss, takeProfit }: TradingviewBody, faults: string[]) => ({
  trailPercent: numberOf('trailPercent', trailPercent, faults),
  stopLoss: numberOf('stopLoss', stopLoss, faults),
  takeProfit: numberOf('takeProfit', takeProfit, faults),
});

/** Templates are often written with the placeholders' own names. */
function withFieldNames(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const renamed: Record<string, unknown> = Object.assign(Object.create(null), value);
  for (const [snake, camel] of Object.entries(SNAKE_CASE)) {
    if (snake in renamed && !(camel in renamed)) renamed[camel] = renamed[snake];
  }
  return renamed;
}

function actionOf(alert: TradingviewBody, faults: string[]): Action | undefined {
  const word = alert.action.trim().toUpperCase();
  const plain = ACTIONS.find((action) => action === word);
  if (plain) return plain;
  if (word !== 'BUY' && word !== 'SELL') {
    faults.push('action: is neither buy nor sell, send {{strategy.order.action}}');
    return undefined;
  }
  const after = alert.marketPosition?.trim().toLowerCase();
  if (after !== 'long' && after !== 'short' && after !== 'flat') {
    faults.push('marketPosition: tells entries from exits, send {{strategy.market_position}} (long, short or flat)');
    return undefined;
  }
  if (word === 'BUY') return after === 'long' ? 'LONG' : 'CLOSE_SHORT';
  return after === 'short' ? 'SHORT' : 'CLOSE_LONG';
}

/** A reversing order counts both the old and the new position; only the new one is to be opened. */
function quantityOf(alert: TradingviewBody, action: Action | undefined, faults: string[]): number | undefined {
  const given = numberOf('quantity', alert.quantity ?? alert.contracts, faults);
  const before = alert.prevMarketPosition?.trim().toLowerCase();
  const reverses = (action === 'LONG' && before === 'short') || (action === 'SHORT' && before === 'long');
  if (!reverses) return given;
  const size = numberOf('marketPositionSize', alert.marketPositionSize, faults);
  if (size === undefined && alert.marketPositionSize === undefined) {
    faults.push('marketPositionSize: a reversal needs it, send {{strategy.market_position_size}}');
  }
  return size === undefined ? undefined : Math.abs(size);
}

function numberOf(field: string, value: number | string | undefined, faults: string[]): number | undefined {
  if (value === undefined || typeof value === 'number') return value;
  const text = value.trim();
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number(text);
  const what = /^nan$/i.test(text) ? 'rendered as NaN: the plot or placeholder was empty' : 'is not a number';
  faults.push(`${field}: ${what}, check the placeholder in the alert message`);
  return undefined;
}
