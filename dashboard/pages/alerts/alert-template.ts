// The message of a TradingView alert, as our webhooks read it: which address it goes to, and what each line of it is for.

export type AlertKind = 'strategy' | 'indicator';

export interface AlertChoice {
  readonly kind: AlertKind;
  /** Empty where it is not at hand: then the place to put it in is marked. */
  readonly apiKey: string;
  readonly exchange: string;
  /** Empty: the symbol of the chart. */
  readonly symbol: string;
  /** Empty: main, or where the key routes to. */
  readonly account: string;
  /** Of an indicator; a strategy says it itself. */
  readonly action: string;
  /** Empty: of a strategy the size of its orders, of an indicator nothing yet. */
  readonly quantity: string;
  readonly strategy: string;
  /** A price, or a distance such as 2%. */
  readonly stopLoss: string;
  readonly tradesOnce: boolean;
}

export const KEY_PLACE = 'whk_PUT-YOUR-KEY-HERE';

export interface AlertTemplate {
  /** Behind the address of this Signalbox. */
  readonly path: '/webhook' | '/webhook/tradingview';
  readonly body: string;
  readonly lines: readonly AlertLine[];
  /** What must be chosen first; undefined where it is whole. */
  readonly missing: string | undefined;
}

export interface AlertLine {
  readonly field: string;
  readonly value: unknown;
  readonly words: string;
}

export function alertTemplate(chosen: AlertChoice): AlertTemplate {
  const choice = takesStop(chosen) ? chosen : { ...chosen, stopLoss: '' };
  const said = (choice.kind === 'strategy' ? strategyLines(choice) : indicatorLines(choice)).filter(
    (line) => line !== undefined,
  );
  const lines = choice.tradesOnce ? [...said, nameLine(choice.kind, said)] : said;
  return {
    path: choice.kind === 'strategy' ? '/webhook/tradingview' : '/webhook',
    body: JSON.stringify(Object.fromEntries(lines.map(({ field, value }) => [field, value])), undefined, 2),
    lines,
    missing: missingOf(choice),
  };
}

/** What closes takes no stop: one that was chosen for an entry before would have it refused. */
export const takesStop = ({ kind, action }: Pick<AlertChoice, 'kind' | 'action'>): boolean =>
  kind === 'strategy' || !action.startsWith('CLOSE');

/** The same message for a check, which is told whose key it is. */
export function withoutKey(body: string): string {
  const { apiKey: _, ...rest } = JSON.parse(body) as Record<string, unknown>;
  return JSON.stringify(rest, undefined, 2);
}

const AMOUNT = /^(?:\d+(?:\.\d+)?|\.\d+)$/;
const DISTANCE = /^(\d+(?:\.\d+)?)\s*%$/;

function missingOf({ kind, quantity, stopLoss }: AlertChoice): string | undefined {
  const [size, stop] = [quantity.trim(), stopLoss.trim()];
  if (size === '' && kind === 'indicator') return 'Give a quantity: an indicator has no size of its own.';
  if (size !== '' && !(AMOUNT.test(size) && Number(size) > 0)) return 'The quantity is a plain number, such as 0.01.';
  if (stop !== '' && !AMOUNT.test(stop) && !DISTANCE.test(stop))
    return 'The stop loss is a price, such as 60000, or a distance from the fill, such as 2%.';
  return undefined;
}

const line = (field: string, value: unknown, words: string): AlertLine => ({ field, value, words });

const common = ({ apiKey, exchange, account, symbol }: AlertChoice) => [
  line(
    'apiKey',
    apiKey.trim() === '' ? KEY_PLACE : apiKey.trim(),
    'The key: whoever has it can trade within its limits.',
  ),
  line('exchange', exchange, 'Where the order goes. It need not be the exchange of the chart.'),
  ...(account === '' ? [] : [line('account', account, 'The account there that trades it.')]),
  line(
    'symbol',
    symbol.trim() === '' ? '{{ticker}}' : symbol.trim(),
    symbol.trim() === ''
      ? 'TradingView puts in the symbol of the chart.'
      : 'Always this market, whatever the chart shows.',
  ),
];

const optional = ({ strategy, stopLoss }: AlertChoice) => [
  strategy.trim() === ''
    ? undefined
    : line('strategy', strategy.trim(), 'Whose share of the position is meant: exits close only what it opened.'),
  stopLoss.trim() === ''
    ? undefined
    : line('stopLoss', stopOf(stopLoss.trim()), 'Placed as soon as the entry is filled.'),
];

/**
 * A name of this alert and of nothing else. Alerts of one chart fire at the close of the same bar, in the same second: an exit and an
 * entry, the same entry for two exchanges or two strategies. Each must trade, so what is chosen here is part of the name; of a
 * strategy also the size after the order, which tells several fills of one order apart.
 */
function nameLine(kind: AlertKind, said: readonly AlertLine[]): AlertLine {
  const chosen = said.filter(({ field }) => field !== 'apiKey').map(({ field, value }) => [field, value]);
  const moment = `${markOf(JSON.stringify(chosen))}-{{ticker}}-{{interval}}-{{timenow}}`;
  return line(
    'alertId',
    kind === 'strategy' ? `${moment}-{{strategy.order.id}}-{{strategy.market_position_size}}` : moment,
    'The same alert trades once, also if it comes twice or by mail as well. The first part stands for what is chosen here: change it where you change the message by hand.',
  );
}

/** Eight digits that differ where the texts do (FNV-1a). */
function markOf(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/** A distance counts from the fill. */
function stopOf(text: string): unknown {
  const percent = DISTANCE.exec(text)?.[1];
  return percent === undefined ? Number(text) : { percent: Number(percent) };
}

const strategyLines = (choice: AlertChoice): readonly (AlertLine | undefined)[] => [
  ...common(choice),
  line('action', '{{strategy.order.action}}', 'buy or sell, as the strategy ordered.'),
  ...sizeLines(choice),
  ...optional(choice),
];

const POSITIONS = [
  line(
    'marketPosition',
    '{{strategy.market_position}}',
    'long, short or flat after the order: tells an exit from an entry. Flat closes everything that is held.',
  ),
  line(
    'prevMarketPosition',
    '{{strategy.prev_market_position}}',
    'What it was before: tells a reversal, and a missed alert.',
  ),
];

/** The strategy's own sizes and a size of the user's own are never in one message: only one of the two can be traded. */
const sizeLines = ({ quantity }: AlertChoice): readonly AlertLine[] =>
  quantity.trim() === ''
    ? [
        line('quantity', '{{strategy.order.contracts}}', 'The size of the order, as the strategy has it.'),
        ...POSITIONS,
        line(
          'marketPositionSize',
          '{{strategy.market_position_size}}',
          'The size after the order: what a reversal opens, once the old position is closed.',
        ),
        line(
          'prevMarketPositionSize',
          '{{strategy.prev_market_position_size}}',
          'The size before it, compared with what is held.',
        ),
      ]
    : [
        line(
          'quantity',
          Number(quantity),
          'Your own size in the coin. Each entry trades exactly it, and each exit of a part closes it; an exit to flat closes everything.',
        ),
        line(
          'ownQuantity',
          true,
          'A reversal closes everything and opens exactly your size, whatever the size of the strategy.',
        ),
        ...POSITIONS,
      ];

const indicatorLines = (choice: AlertChoice): readonly (AlertLine | undefined)[] => [
  ...common(choice),
  line('action', choice.action, 'What this alert does. Make one alert for each action.'),
  line(
    'quantity',
    choice.quantity.trim() === '' ? 0 : Number(choice.quantity),
    'In the coin that is traded, without quotes.',
  ),
  ...optional(choice),
];
