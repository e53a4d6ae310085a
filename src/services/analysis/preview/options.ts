// The options of a preview: what may be asked for, and every fault in words.

import { z } from 'zod';
import { zodFaults } from '../../../http/zod-faults.ts';
import { COLOR_NAMES, readColor } from './colors.ts';
import { THEMES } from './theme.ts';

/** Of the contract; a larger picture would take more time and memory than a preview is worth. */
const MAX_WIDTH = 1200;
const MAX_HEIGHT = 600;
/** Smaller ones have no room for a single label. */
const MIN_WIDTH = 64;
const MIN_HEIGHT = 48;

const COLOR_FAULT = `is no color, send one such as #2962FF, #2962FF80 or ${COLOR_NAMES.slice(0, 3).join(', ')}`;

export const chartOptionsSchema = z.strictObject({
  type: z.enum(['line', 'candles']).default('candles').meta({ description: 'How the bars are drawn' }),
  color: z
    .string()
    .max(32)
    .refine((text) => !Number.isNaN(readColor(text)), { error: COLOR_FAULT })
    .optional()
    .meta({ description: "Of the line, or of rising candles; the theme's own when omitted" }),
  show_volume: z.boolean().default(true).meta({ description: 'A band with the volume, where the bars have one' }),
  width: z.int().min(MIN_WIDTH).max(MAX_WIDTH).default(800).meta({ description: 'Pixels' }),
  height: z.int().min(MIN_HEIGHT).max(MAX_HEIGHT).default(400).meta({ description: 'Pixels' }),
  theme: z.enum(THEMES).default('dark'),
});

export type ChartOptions = z.infer<typeof chartOptionsSchema>;

export type ReadOptions =
  | { readonly ok: true; readonly options: ChartOptions }
  | { readonly ok: false; readonly faults: readonly string[] };

/** Left out is the same as empty. Faults begin with the name of their option. */
export function readChartOptions(value: unknown = {}): ReadOptions {
  const parsed = chartOptionsSchema.safeParse(value);
  if (parsed.success) return { ok: true, options: parsed.data };
  return { ok: false, faults: zodFaults(parsed.error, value).map((fault) => fault.replace(/^body:/, 'options:')) };
}
