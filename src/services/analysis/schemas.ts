// What the bodies of the routes look like: the same schemas check requests and describe them in /openapi.json.

import { z } from 'zod';
import { CHART_HEIGHT, CHART_TYPES, CHART_WIDTH, DEFAULT_CHART, isChartColor, THEMES } from '../../chart/options.ts';
import { LEAST_MICROSECONDS } from '../../market-data/time-unit.ts';
import type { SymbolInfo } from '../../pine/index.ts';
import { MAX_SYMBOL_BARS } from '../../pine/light.ts';

/** The contract's; a batch is a row of charts, not a load test. */
export const MAX_BATCH = 8;
/** The contract's; a script that imports more is no script of a person. */
const MAX_LIBRARIES = 32;
/** Scripts have a few dozen inputs; the engine tells about each that does not fit. */
const MAX_INPUTS = 1000;
/** As milliseconds it is the year 5138: a larger number counts micro- or nanoseconds. */
export const MAX_TIME_MS = LEAST_MICROSECONDS - 1;
/** Names of markets, timeframes and libraries are shorter. */
const MAX_NAME_CHARS = 400;

/** An expression is one line of a script; longer ones are scripts. */
const MAX_EXPRESSION_CHARS = 4000;
const MAX_COLOR_CHARS = 32;
const COLOR_FAULT = 'is no color, send one such as #2962FF, #2962FF80 or red';

export const MODES = ['auto', 'interpret', 'compile'] as const;

const described = <T extends z.ZodType>(schema: T, description: string): T => schema.meta({ description });
const name = z.string().max(MAX_NAME_CHARS);

/** Not strict, unlike everything else: charting clients send more with a bar than its prices, and it changes nothing. */
export const barSchema = z.looseObject({
  time: described(
    z.number().min(-MAX_TIME_MS, { abort: true }).max(MAX_TIME_MS),
    'When the bar opens, in ms or s since 1970 UTC, the same in all bars',
  ),
  open: z.number(),
  high: z.number(),
  low: z.number(),
  close: z.number(),
  volume: described(z.number().nullable().optional(), 'Unknown when omitted or null'),
});

const text = name.nullish();
const figure = z.number().nullish();
/** Every field the engine knows, and no other: the compiler compares the two. */
const symbolFields = {
  ticker: described(text, 'BTCUSDT, or BINANCE:BTCUSDT'),
  tickerid: text,
  prefix: text,
  root: text,
  description: text,
  type: described(text, 'crypto, stock, futures, forex, index, fund'),
  timezone: described(text, 'Of the exchange, such as America/New_York'),
  session: described(text, '24x7, or hours such as 0930-1600'),
  session_regular: text,
  period: described(text, 'The timeframe: 60 or 1h, 1D or 1d'),
  mintick: figure,
  pricescale: figure,
  minmove: figure,
  pointvalue: figure,
  mincontract: figure,
  currency: text,
  basecurrency: text,
  volumetype: text,
  country: text,
  sector: text,
  industry: text,
  isin: text,
  current_contract: text,
  expiration_date: figure,
  employees: figure,
  shareholders: figure,
  shares_outstanding_float: figure,
  shares_outstanding_total: figure,
} satisfies Record<keyof SymbolInfo, z.ZodType>;

/** As it stands: which moment it is, and whether it is one, is told where it is read. */
const moment = (description: string) => described(z.union([z.number(), name]).optional(), description);

const librariesSchema = z
  .array(
    z.strictObject({
      namespace: name.min(1),
      name: name.min(1),
      version: z.number().int().min(1),
      source: z.string(),
    }),
  )
  .max(MAX_LIBRARIES);

const columnsSchema = z.strictObject({
  time: z.array(barSchema.shape.time).min(1),
  open: z.array(z.number()),
  high: z.array(z.number()),
  low: z.array(z.number()),
  close: z.array(z.number()),
  volume: z.array(z.number().nullable()).optional(),
});
const rowsOrColumns = z.custom<readonly unknown[] | Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null,
  {
    error: ({ input }) => {
      const fault = input === undefined ? 'missing' : 'neither a list nor an object';
      return `is ${fault}, send a list of bars, or an object with a list per field`;
    },
  },
);

const symbolInfoSchema = z.strictObject(symbolFields);
const symbolBarsSchema = z.strictObject({
  symbol: described(
    name.optional(),
    'As the script writes it: ETHUSDT or BINANCE:ETHUSDT; that of the chart if omitted',
  ),
  timeframe: described(name.min(1), 'As Pine (60, 1D) or exchanges (1h, 1d) write it'),
  data: described(z.union([z.array(barSchema).min(1), columnsSchema]), 'The bars, oldest first, as rows or columns'),
  symbol_info: described(symbolInfoSchema.optional(), 'What differs from the market of the chart'),
});
/** Before its bars are read. */
const symbolBarsHeadSchema = symbolBarsSchema.extend({ data: rowsOrColumns });

export const evaluateSchema = z.strictObject({
  script: described(z.string(), 'The source in Pine; one of version 1 to 4 is converted to 5 first, with a warning'),
  data: described(
    z.array(barSchema).min(1).optional(),
    'The bars, oldest first; further fields of a bar are ignored. Or leave it out and send symbol, timeframe and bars',
  ),
  bars: described(
    z.int().min(1).optional(),
    'Instead of data: how many of the newest final bars of symbol in timeframe; without a key from the archive alone',
  ),
  symbol: described(
    name.optional(),
    'The ticker, where symbol_info does not say it; of a market that the tables of the exchanges know it is its description too. With bars the market',
  ),
  timeframe: described(
    name.optional(),
    'As Pine (60, 1D) or exchanges (1h, 1d) write it; symbol_info.period when omitted, else the usual distance of the bars',
  ),
  mode: described(z.enum(MODES).optional(), 'Accepted for older clients: one engine serves all'),
  inputs: described(z.record(z.string(), z.unknown()).optional(), 'Values of the inputs by title'),
  profiler: described(z.boolean().optional(), 'Accepted; there is no profile yet'),
  libraries: described(librariesSchema.optional(), 'What the script imports, as namespace/name/version'),
  timeout_seconds: described(z.number().gt(0).optional(), 'At most RUN_TIMEOUT_S'),
  symbol_info: described(symbolInfoSchema.optional(), 'The market, in the names of syminfo.*'),
  symbol_bars: described(
    z.array(symbolBarsSchema).max(MAX_SYMBOL_BARS).optional(),
    'Bars of other symbols and timeframes that the script requests, that its bar magnifier looks into or its account is converted with; longer ones are made of shorter ones',
  ),
  trade_from: moment(
    'Of a strategy: orders of bars that open before are not taken. In ms since 1970 UTC, or such as 2024-03-01T14:30:00Z',
  ),
  trade_to: moment('Of a strategy: orders of bars that open then or later are not taken. Written as trade_from is'),
});

/** Only looked at from outside: the rows are read by hand, because a schema takes eight times as long for them. */
const listOfBars = z.custom<readonly unknown[]>((value) => Array.isArray(value), {
  error: ({ input }) =>
    input === undefined
      ? 'is missing, send a list of bars, or symbol, timeframe and bars (how many of the newest) instead'
      : 'is not a list, send a list of bars',
});
const column = z.custom<readonly unknown[]>((value) => Array.isArray(value), {
  error: ({ input }) => `is ${input === undefined ? 'missing' : 'not a list'}, send a list of numbers`,
});
/** A list per field, looked at from outside like the rows. */
export const columnsHeadSchema = z.strictObject({
  time: column,
  open: column,
  high: column,
  low: column,
  close: column,
  volume: column.optional(),
});
/** As it stands: a schema would drop a key named __proto__ instead of refusing it. */
const inputValues = z.custom<Readonly<Record<string, unknown>>>(
  (value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length <= MAX_INPUTS,
  { error: `is not usable, send an object of at most ${MAX_INPUTS} values by title` },
);

/** The request before its bars are read. */
const heads = {
  inputs: inputValues.optional(),
  symbol_bars: z.array(symbolBarsHeadSchema).max(MAX_SYMBOL_BARS).optional(),
};
const sendingSchema = evaluateSchema.extend({ data: listOfBars, ...heads });
/** The same where it says how many bars of a market it wants: then it need not send any. */
const namingSchema = sendingSchema.extend({ data: listOfBars.optional() });
export type EvaluateHead = z.infer<typeof namingSchema>;

/** The schema that a request is to be checked by, so that all its faults are told at once. */
export const evaluateHeadSchemaOf = (value: unknown): z.ZodType<EvaluateHead> =>
  namesBars(value) ? namingSchema : sendingSchema;

const namesBars = (value: unknown): boolean => typeof value === 'object' && value !== null && 'bars' in value;

/** What a chart is drawn with; all of it may be left out. */
export const chartOptionsSchema = z.strictObject({
  type: described(z.enum(CHART_TYPES).default(DEFAULT_CHART.type), 'How the bars are drawn'),
  color: described(
    z.string().max(MAX_COLOR_CHARS).refine(isChartColor, { error: COLOR_FAULT }).optional(),
    "Of the line, or of rising candles; the theme's own when omitted",
  ),
  show_volume: described(z.boolean().default(DEFAULT_CHART.show_volume), 'A band with it, where the bars have one'),
  width: described(z.int().min(CHART_WIDTH.min).max(CHART_WIDTH.max).default(DEFAULT_CHART.width), 'Pixels'),
  height: described(z.int().min(CHART_HEIGHT.min).max(CHART_HEIGHT.max).default(DEFAULT_CHART.height), 'Pixels'),
  theme: z.enum(THEMES).default(DEFAULT_CHART.theme),
});

const {
  script,
  data: _rows,
  bars: _count,
  mode: _mode,
  profiler: _profiler,
  trade_from,
  trade_to,
  ...runFields
} = evaluateSchema.shape;
const chartFields = {
  data: described(z.union([z.array(barSchema).min(1), columnsSchema]), 'The bars, oldest first, as rows or columns'),
  options: chartOptionsSchema.default(DEFAULT_CHART),
};
const { inputs: _inputs, libraries: _libraries, ...marketFields } = runFields;

export const previewChartSchema = z.strictObject({
  script: described(script.optional(), 'Its plots and drawings are drawn; without one, only the bars are'),
  ...chartFields,
  ...runFields,
});
export const previewIndicatorSchema = z.strictObject({
  expression: described(
    z.string().min(1).max(MAX_EXPRESSION_CHARS),
    'One expression in Pine, such as ta.rsi(close, 14); numbers are plotted, conditions marked',
  ),
  overlay: described(z.boolean().optional(), 'On the bars, or on a pane of its own; by its values when omitted'),
  ...chartFields,
  ...marketFields,
});
/** The requests before their bars are read. */
export const previewChartHeadSchema = previewChartSchema.extend({ data: rowsOrColumns, ...heads });
export const previewIndicatorHeadSchema = previewIndicatorSchema.extend({
  data: rowsOrColumns,
  symbol_bars: heads.symbol_bars,
});

export const backtestSchema = z.strictObject({
  script: described(script, 'A script that declares itself with strategy(...)'),
  data: described(
    chartFields.data.optional(),
    'The bars, oldest first, as rows or columns. Or leave it out and send symbol, timeframe and bars',
  ),
  bars: described(
    evaluateSchema.shape.bars,
    'Instead of data: how many of the newest final bars of symbol in timeframe',
  ),
  initial_capital: described(z.number().gt(0).optional(), "What it starts with; the script's own when omitted"),
  trade_from,
  trade_to,
  check_repaint: described(
    z.boolean().optional(),
    'Also run it bar by bar and tell in meta.repaint whether its past changes; costs as much as three to six runs',
  ),
  ...runFields,
});
/** Also what each market of a search sends. */
export const sendingBacktestSchema = backtestSchema.extend({ data: rowsOrColumns, ...heads });
const namingBacktestSchema = sendingBacktestSchema.extend({ data: rowsOrColumns.optional() });
type BacktestHead = z.infer<typeof namingBacktestSchema>;

/** As with a run: who says how many bars of a market he wants need not send any. */
export const backtestHeadSchemaOf = (value: unknown): z.ZodType<BacktestHead> =>
  namesBars(value) ? namingBacktestSchema : sendingBacktestSchema;

/** The requests are checked one by one: a fault in one leaves the others alone. */
export const batchHeadSchema = z.strictObject({ requests: z.array(z.unknown()).min(1).max(MAX_BATCH) });
export const batchSchema = z.strictObject({ requests: z.array(evaluateSchema).min(1).max(MAX_BATCH) });

/** Any text: an unknown tier has a code of its own. */
export const createKeySchema = z.strictObject({
  tier: described(z.string().optional(), 'free, hobby (when omitted), pro, team or enterprise'),
});
export const validateKeySchema = z.strictObject({ api_key: z.string() });

export const sourceSchema = z.strictObject({
  source: described(z.string(), 'The script as it stands in the editor'),
  libraries: librariesSchema.optional(),
});
export const convertSchema = z.strictObject({
  source: described(z.string(), 'A script of version 1 to 4'),
});
const fromZero = z.number().int().min(0);
export const placeSchema = sourceSchema.extend({
  line: described(fromZero, 'Counted from 0'),
  character: described(fromZero, 'Counted from 0, in UTF-16 units'),
});
