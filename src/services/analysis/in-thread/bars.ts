// Reads the bars of a request into columns; whatever is wrong with one of them is told with its index and the remedy.

import { z } from 'zod';
import { checkStrict } from '../../../http/strict-body.ts';
import { isCompactDate, unitsPerMs } from '../../../market-data/time-unit.ts';
import { type BarColumns, emptyColumns } from '../../../pine/light.ts';
import { refusal } from '../refusal.ts';
import { barSchema, columnsHeadSchema, MAX_TIME_MS } from '../schemas.ts';

const COLUMN_NAMES = ['time', 'open', 'high', 'low', 'close', 'volume'] as const;
type ColumnName = (typeof COLUMN_NAMES)[number];

type Row = Readonly<Record<string, unknown>>;

/** `at` is where the list stands in the body. */
export function readBars(rows: readonly unknown[], at = 'data'): BarColumns {
  if (rows.length === 0) throw refusal('INVALID_FIELD', `${at}: is empty, send at least one bar`);
  const columns = { ...emptyColumns(rows.length), count: rows.length };
  for (let i = 0; i < rows.length; i += 1) {
    const row = rows[i] as Row;
    if (!readRow(row, columns, i)) throw rowFault(row, `${at}.${i}`);
  }
  return inOrder(columns, (i) => `${at}.${i}.time`);
}

/** The other form, a list per field, where a request may have either. */
export function readBarColumns(data: Readonly<Record<string, unknown>>, at = 'data'): BarColumns {
  const lists = checkStrict(columnsHeadSchema, data, at);
  const { length } = lists.time;
  if (length === 0) throw refusal('INVALID_FIELD', `${at}.time: is empty, send at least one bar`);
  const columns = { ...emptyColumns(length), count: length };
  columns.volume.fill(Number.NaN);
  for (const name of COLUMN_NAMES) {
    const list = lists[name];
    if (list === undefined) continue;
    if (list.length !== length)
      throw refusal('INVALID_FIELD', `${at}.${name}: has ${list.length} values, send ${length} as in time`);
    for (let i = 0; i < length; i += 1) {
      const value = list[i];
      const isUsable = name === 'time' ? isTime(value) : isNumber(value) || (name === 'volume' && value === null);
      if (!isUsable) throw valueFault(name, value, `${at}.${name}.${i}`);
      columns[name][i] = (value as number | null) ?? Number.NaN;
    }
  }
  for (let i = 0; i < length; i += 1) {
    const [high, low] = [columns.high[i] as number, columns.low[i] as number];
    if (high < low) throw highBelowLow(high, low, `${at}.high.${i}`);
  }
  return inOrder(columns, (i) => `${at}.time.${i}`);
}

function inOrder(columns: BarColumns, placeOf: (index: number) => string): BarColumns {
  const { time, count } = columns;
  if (isCompactDate(time[0] as number) && isCompactDate(time[count - 1] as number))
    throw refusal('INVALID_FIELD', `${placeOf(0)}: is a date without dashes, ${SEND_MS}`);
  inMilliseconds(columns);
  for (let i = 1; i < columns.count; i += 1) checkOrder(columns.time, i, placeOf);
  return columns;
}

/**
 * Reads one row into the columns and says whether it was a bar. It is written by hand, because a schema takes eight
 * times as long for tens of thousands of rows. Fields that are none of a bar's are passed over: charting clients send
 * what they keep with a bar, such as whether it is closed.
 */
function readRow(row: Row, into: BarColumns, i: number): boolean {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return false;
  const { time, open, high, low, close, volume } = row;
  if (!isTime(time) || !isNumber(open) || !isNumber(high) || !isNumber(low) || !isNumber(close)) return false;
  if (volume !== undefined && volume !== null && !isNumber(volume)) return false;
  if (high < low) return false;
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

const SEND_MS = 'send milliseconds or seconds since 1970 UTC';
/** The year 5138 in nanoseconds. A number beyond it is no plausible time, whatever its unit. */
const MOST_NANOSECONDS = 1e20;

/** Of a time that is counted too finely; the schema would only call it too large. */
function fineTime(time: unknown, at: string): Error | undefined {
  if (!isNumber(time) || Math.abs(time) <= MAX_TIME_MS || Math.abs(time) > MOST_NANOSECONDS) return undefined;
  const unit = unitsPerMs(Math.abs(time)) > 1000 ? 'nanoseconds' : 'microseconds';
  return refusal('INVALID_FIELD', `${at}: counts ${unit}, ${SEND_MS}`);
}

/** The words for a row that is no bar: the schema, which describes it to people, finds the fault again. */
function rowFault(row: unknown, at: string): Error {
  const fine = fineTime((row as Row | null)?.time, `${at}.time`);
  if (fine !== undefined) return fine;
  const { high, low } = checkStrict(barSchema, row, at);
  return highBelowLow(high, low, at);
}

function valueFault(name: ColumnName, value: unknown, at: string): Error {
  const fine = name === 'time' ? fineTime(value, at) : undefined;
  if (fine !== undefined) return fine;
  const place = at.slice(0, at.lastIndexOf('.'));
  checkStrict(z.record(z.string(), barSchema.shape[name]), { [at.slice(place.length + 1)]: value }, place);
  return refusal('INVALID_FIELD', `${at}: is no number, correct it`);
}

const highBelowLow = (high: number, low: number, at: string): Error =>
  refusal('INVALID_FIELD', `${at}: high ${high} is below low ${low}, correct or remove the bar`);

/** Decided once for all bars, by the one farthest from 1970. */
function inMilliseconds({ time, count }: BarColumns): void {
  const farthest = Math.max(Math.abs(time[0] as number), Math.abs(time[count - 1] as number));
  const factor = unitsPerMs(farthest) < 1 ? 1000 : 1;
  for (let i = 0; i < count; i += 1) time[i] = Math.round((time[i] as number) * factor);
}

function checkOrder(times: Float64Array, i: number, placeOf: (index: number) => string): void {
  const time = times[i] as number;
  const before = times[i - 1] as number;
  if (time > before) return;
  const fault =
    time === before
      ? 'is the same as that of the bar before, keep one of the two'
      : 'is before that of the bar before, sort the bars by time, oldest first';
  throw refusal('INVALID_FIELD', `${placeOf(i)}: ${fault}`);
}
