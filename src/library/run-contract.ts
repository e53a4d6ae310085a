// What a run of a script answers and how it fails, as schemas: the same contract stands behind the doors of two services.

import { z } from 'zod';

const place = { line: z.number().int(), column: z.number().int() };

const diagnosticSchema = z.object({
  ...place,
  endLine: z.number().int(),
  endColumn: z.number().int(),
  severity: z.enum(['error', 'warning', 'hint']),
  code: z.string(),
  message: z.string(),
  remedy: z.string().optional(),
});

/** What SCRIPT_ERROR tells besides code and message; other refusals with the same status do not. */
export const compileFaultFields = {
  diagnostics: z
    .array(diagnosticSchema)
    .optional()
    .meta({ description: 'Of SCRIPT_ERROR: every fault with its place' }),
};

/** What UNKNOWN_SYMBOL tells besides code and message. */
export const marketFaultFields = {
  nearest: z.array(z.string()).optional().meta({ description: 'Of UNKNOWN_SYMBOL: names that may have been meant' }),
};

/** What RUNTIME_ERROR tells besides code and message; a place is not always known. */
export const runtimeFaultFields = {
  bar_index: z.number().int().optional().meta({ description: 'Of RUNTIME_ERROR: the bar that it happened on' }),
  ...z.object(place).partial().shape,
};

const list = z.array(z.unknown());
const numbers = z.array(z.number().nullable());
const colors = z.array(z.string().nullable()).meta({ description: 'Of a fill, a background or colored bars' });
const plotMetaSchema = z
  .record(
    z.string(),
    z.looseObject({
      title: z.string(),
      kind: z.string().meta({ description: 'plot, plotshape, hline, fill, bgcolor, …' }),
      series: z.array(z.string()).meta({ description: 'Its series of numbers' }),
      color: z.string().nullable(),
      plot1: z.string().nullable().optional().meta({ description: 'Of a fill: the title of its first line' }),
      plot2: z.string().nullable().optional().meta({ description: 'Of a fill: the title of its second line' }),
    }),
  )
  .meta({ description: 'How each output is drawn, by title' });
const seconds = z.int().nullable().optional().meta({ description: 'Unix seconds' });
const price = z.number().nullable().optional();
const drawingSchema = z.looseObject({
  type: z.enum(['line', 'box', 'label', 'polyline', 'linefill', 'table']),
  kind: z.string().meta({ description: 'The same' }),
  id: z.int(),
  t1: seconds,
  p1: price,
  t2: seconds,
  p2: price,
  points: z
    .array(z.looseObject({ time: z.int().nullable(), price: z.number().nullable() }))
    .optional()
    .meta({ description: 'Of a polyline; time in unix seconds' }),
});
const figure = z.number().nullable();
const side = z.enum(['long', 'short']);
const barTime = z.number().meta({ description: 'ms since 1970 UTC' });
const eventSchema = z.object({
  kind: z.enum(['entry', 'exit', 'close', 'close_all', 'cancel', 'order']),
  id: z.string().nullable().meta({ description: 'Null of close_all and cancel_all' }),
  direction: side.nullable().meta({ description: 'Of an exit or a close: the side that is held' }),
  qty: figure.meta({ description: 'Null: the size that the strategy declares, or all of it' }),
  order_type: z.enum(['market', 'limit', 'stop', 'stop_limit', 'trailing', 'bracket']).nullable(),
  limit: figure,
  stop: figure,
  comment: z.string(),
  bar_index: z.int(),
  bar_time: barTime,
  ohlc: z.object({ open: figure, high: figure, low: figure, close: figure }),
});
const tradeSchema = z.object({
  entry_id: z.string(),
  exit_id: z.string().nullable(),
  direction: side,
  entry_time: barTime,
  entry_price: figure,
  exit_time: barTime.nullable().meta({ description: 'Null while it is open, as everything of its exit' }),
  exit_price: figure,
  qty: z.number(),
  profit: figure.meta({ description: 'After fees; of an open trade at the last close' }),
  profit_percent: figure.meta({ description: 'Of what the entry was worth' }),
  runup: figure.meta({ description: 'The best it stood at, 0 or more' }),
  runup_percent: figure,
  drawdown: figure.meta({ description: 'The worst it stood at, 0 or less' }),
  drawdown_percent: figure,
  commission: figure,
  entry_comment: z.string(),
  exit_comment: z.string().nullable(),
  entry_bar: z.int(),
  exit_bar: z.int().nullable(),
});
const equityPointSchema = z.object({
  time: barTime,
  equity: figure.meta({ description: 'At the close of the bar, with what is open' }),
  drawdown: figure.meta({ description: 'How far below its highest close so far, 0 or more' }),
});
/** What a strategy made, here and in the answer of a backtest. */
export const tradesSchema = z
  .array(tradeSchema)
  .meta({ description: 'Closed ones in the order of their exits, open ones last' });
export const equitySchema = z
  .array(equityPointSchema)
  .meta({ description: 'At bars where it changes, at most 5,000 points' });
export const metricsSchema = z.record(z.string(), z.unknown()).meta({
  description: 'Figures by name, null where they are undefined; those of long and of short trades under these names',
});

/** What was assumed of a market that was only named: AssumedMarket. */
export const assumedMarketSchema = z
  .object({
    symbol: z.string(),
    source: z.string().meta({ description: 'The exchange whose table knows it, or default' }),
    assumed: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .meta({ description: 'In the names of symbol_info, which may say otherwise' }),
  })
  .optional()
  .meta({ description: 'What was assumed of a market that was named and not described' });

export const runAnswerSchema = z.object({
  status: z.literal('success'),
  series: z.record(z.string(), z.union([numbers, colors])).meta({ description: 'By title; null is na' }),
  plots: numbers.meta({ description: 'The first series of numbers' }),
  plot_meta: plotMetaSchema,
  events: z.array(eventSchema).meta({ description: 'Of a strategy: its calls, the newest 10,000' }),
  trades: tradesSchema,
  equity: equitySchema,
  metrics: metricsSchema,
  drawings: z.array(drawingSchema),
  alerts: list,
  inputs: list,
  logs: list,
  profile: z.unknown(),
  meta: z.looseObject({ plot_meta: plotMetaSchema.meta({ description: 'The same once more' }) }),
  count: z.number().int().meta({ description: 'Bars' }),
  mode: z.literal('compile'),
  script_id: z.string().meta({ description: 'First 16 hex digits of the SHA-256 of the source' }),
  run_id: z.string(),
  warnings: z.array(diagnosticSchema).optional().meta({
    description:
      'What the compiler warns of, as that a script of an old version was converted; left out where it has nothing to say',
  }),
  market: assumedMarketSchema,
  bars: z
    .object({
      symbol: z.string(),
      timeframe: z.string(),
      source: z.string().meta({ description: 'Where the prices come from' }),
      from: z.int(),
      to: z.int().meta({ description: 'When the last one begins' }),
      times: z.array(z.int()).meta({ description: 'When each begins, in ms since 1970 UTC' }),
    })
    .optional()
    .meta({ description: 'Of a run that named a market: the bars it went over' }),
});

/** Whether a strategy repaints: RepaintAnswer. */
export const repaintSchema = z
  .object({
    status: z.enum(['none_found', 'repaints', 'not_checked']),
    bars_compared: z.int().meta({ description: 'Bars at each of which the script was stopped and looked at' }),
    lines: z.array(z.int()).meta({ description: 'Where to look; empty where nothing repaints' }),
    reason: z.string().optional().meta({ description: 'Why it was not checked' }),
  })
  .meta({ description: 'Whether the script shows of the past what it did not show then' });
