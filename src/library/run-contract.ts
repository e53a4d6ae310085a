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
export const runAnswerSchema = z.object({
  status: z.literal('success'),
  series: z.record(z.string(), z.union([numbers, colors])).meta({ description: 'By title; null is na' }),
  plots: numbers.meta({ description: 'The first series of numbers' }),
  plot_meta: plotMetaSchema,
  events: list,
  trades: list,
  equity: list,
  metrics: z.record(z.string(), z.unknown()),
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
