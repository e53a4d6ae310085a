// Every block of the table of built-ins, in the order of the reference.

import type { TableSource } from '../model.ts';
import { ARRAY } from './array.ts';
import { BARS, BARSTATE, CHART, SESSION } from './bars.ts';
import { COLOR } from './color.ts';
import { CONSTANTS, CURRENCY } from './constants.ts';
import { CORE, LOG, RUNTIME } from './core.ts';
import { CHART_POINT, LINE, LINEFILL, POLYLINE } from './drawings.ts';
import { INPUT, INPUT_FUNCTION } from './input.ts';
import { MATH } from './math.ts';
import { MAP, MATRIX } from './matrix.ts';
import { HLINE_CONSTANTS, PLOT_CONSTANTS, PLOTS } from './plots.ts';
import { FOOTPRINT, REQUEST, VOLUME_ROW } from './request.ts';
import { STR } from './str.ts';
import { CLOSED_TRADES, OPEN_TRADES, RISK, STRATEGY, STRATEGY_CONSTANTS } from './strategy.ts';
import { DIVIDENDS, EARNINGS, SYMINFO, TICKER } from './symbols.ts';
import { TA } from './ta.ts';
import { BOX, LABEL, TABLE } from './text-drawings.ts';
import { DAYS, TIME, TIMEFRAME } from './time.ts';

export const SOURCES: readonly TableSource[] = [
  ...[CORE, BARS, TIME, PLOTS, INPUT_FUNCTION, TA, MATH, STR, ARRAY, MATRIX, MAP, COLOR, INPUT, TIMEFRAME, SYMINFO],
  ...[BARSTATE, SESSION, CHART, CHART_POINT, LINE, LABEL, BOX, TABLE, POLYLINE, LINEFILL, REQUEST, FOOTPRINT],
  ...[VOLUME_ROW, TICKER, STRATEGY, CLOSED_TRADES, OPEN_TRADES, RISK, ...STRATEGY_CONSTANTS, LOG, RUNTIME],
  ...[PLOT_CONSTANTS, HLINE_CONSTANTS, DAYS, DIVIDENDS, EARNINGS, CURRENCY, ...CONSTANTS],
];
