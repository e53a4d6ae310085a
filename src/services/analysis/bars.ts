// Reads the bars of a request into columns; whatever is wrong with one of them is told with its index and the remedy.

import { type BarColumns, emptyColumns } from '../../pine/index.ts';
import { checked, refusal } from './read-request.ts';
import { barSchema, MAX_TIME_MS } from './schemas.ts';

/**
 * Below this the times count seconds, from it on milliseconds: as seconds it is the year 5138, as milliseconds 1973.
 * Decided once for all bars, by the one farthest from 1970.
 */
const LEAST_MILLISECONDS = 1e11;
const FIELDS_WITHOUT_VOLUME = 5;

type Row = Readonly<Record<string, unknown>>;

/** `at` is where the list stands in the body. */
export function readBars(rows: readonly unknown[], at = 'data'): BarColumns {
  if (rows.length === 0) throw refusal('INVALID_FIELD', `${at}: is empty, send at least one bar`);
  const columns = { ...emptyColumns(rows.length), count: rows.length };
  for (let i = 0; i < rows.length; i += 1) {
    const row = rows[i] as Row;
    if (!readRow(row, columns, i)) throw rowFault(row, `${at}.${i}`);
  }
  inMilliseconds(columns);
  for (let i = 1; i < rows.length; i += 1) checkOrder(columns.time, i, at);
  return columns;
}

/** By hand, and silent: tens of thousands of rows are read between two trades. Whether it was a bar. */
function readRow(row: Row, into: BarColumns, i: number): boolean {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return false;
  const { time, open, high, low, close, volume } = row;
  if (!isTime(time) || !isNumber(open) || !isNumber(high) || !isNumber(low) || !isNumber(close)) return false;
  let fields = FIELDS_WITHOUT_VOLUME;
  if (volume !== undefined) {
    if (volume !== null && !isNumber(volume)) return false;
    fields += 1;
  }
  for (const _ in row) fields -= 1;
  if (fields !== 0 || high < low) return false;
  into.time[i] = time;
  into.open[i] = open;
  into.high[i] = high;
  into.low[i] = low;
  into.close[i] = close;
  into.volume[i] = volume ?? Number.NaN;
  return true;
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isTime = (value: unknown): value is number => isNumber(value) && Math.abs(value) <= MAX_TIME_MS;

/** The words for a row that is no bar: the schema, which describes it to people, finds the fault again. */
function rowFault(row: unknown, at: string): Error {
  const { high, low } = checked(barSchema, row, at);
  return refusal('INVALID_FIELD', `${at}: high ${high} is below low ${low}, correct or remove the bar`);
}

function inMilliseconds({ time, count }: BarColumns): void {
  const largest = Math.max(Math.abs(time[0] as number), Math.abs(time[count - 1] as number));
  const factor = largest < LEAST_MILLISECONDS ? 1000 : 1;
  for (let i = 0; i < count; i += 1) time[i] = Math.round((time[i] as number) * factor);
}

function checkOrder(times: Float64Array, i: number, at: string): void {
  const time = times[i] as number;
  const before = times[i - 1] as number;
  if (time > before) return;
  const fault =
    time === before
      ? 'is the same as that of the bar before, keep one of the two'
      : 'is before that of the bar before, sort the bars by time, oldest first';
  throw refusal('INVALID_FIELD', `${at}.${i}.time: ${fault}`);
}
