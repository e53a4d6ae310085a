// Reads bars from a CSV file into columns; whatever is wrong in it is told with its line and the remedy.

import { isCompactDate, unitsPerMs } from '../market-data/time-unit.ts';
import type { BarColumns } from '../pine/index.ts';
import { CsvFault, CsvRows, separatorIn } from './csv-rows.ts';
import { grownColumns, sharedColumns } from './shared-columns.ts';

export { CsvFault };

/** A wider file is no file of bars. */
const MAX_FIELDS = 1024;
/** Ten years of minutes are about five million; columns of this many take half a gigabyte. */
const MAX_BARS = 10_000_000;
/** Rows get longer as numbers grow: room for a few more than the first one promises, then half as many again. */
const SPARE_ROOM = 1.1;
const GROWTH = 1.5;
const PRICES = ['open', 'high', 'low', 'close'] as const;
const NEEDED = ['time', ...PRICES] as const;
/** What others call the time; it counts where no column is called so. */
const TIME_NAMES = ['timestamp', 'datetime', 'date', 'open time', 'open_time'];
const EXAMPLE = 'time,open,high,low,close,volume';
const MAX_SHOWN_CHARS = 40;
/** The language has no dates beyond. */
const MAX_TIME_MS = 8.64e15;

type ColumnName = (typeof NEEDED)[number] | 'volume';
type Places = Readonly<Record<(typeof NEEDED)[number], number>> & { readonly volume: number | undefined };

/** How the file writes times; the first row decides, and the others must follow. */
type TimeStyle = 'number' | 'iso';

/** Files that people take for CSV, by their first bytes. */
const OTHERS: readonly (readonly [bytes: readonly number[], fault: string])[] = [
  [[0xff, 0xfe], 'the file is UTF-16; save it as UTF-8'],
  [[0xfe, 0xff], 'the file is UTF-16; save it as UTF-8'],
  [[0x1f, 0x8b], 'the file is compressed (gzip); unpack it first, with gunzip for example'],
  [[0x50, 0x4b, 0x03, 0x04], 'the file is a ZIP archive or a workbook; unpack it, or save its table as CSV'],
];

export function parseBarsCsv(bytes: Uint8Array): BarColumns {
  for (const [start, fault] of OTHERS) if (start.every((byte, at) => bytes[at] === byte)) throw new CsvFault(1, fault);
  const rows = new CsvRows(bytes, MAX_FIELDS, separatorIn(bytes));
  if (!rows.next()) throw new CsvFault(1, `the file is empty; its first line must be ${EXAMPLE}`);
  const places = placesIn(rows);
  const width = rows.count;
  const headerBytes = rows.readBytes;
  let columns = sharedColumns(0);
  let count = 0;
  let style: TimeStyle | undefined;
  while (rows.next()) {
    if (rows.count !== width) throw wrongWidth(rows, width);
    style ??= Number.isNaN(rows.number(places.time)) ? 'iso' : 'number';
    if (count === columns.time.length) {
      if (count === MAX_BARS) throw new CsvFault(rows.line, `there are more than ${MAX_BARS} bars; split the file`);
      const promised = (bytes.length / (rows.readBytes - headerBytes)) * SPARE_ROOM;
      columns = grownColumns(columns, Math.min(Math.ceil(count === 0 ? promised : count * GROWTH), MAX_BARS));
    }
    readRow(rows, places, columns, count, style);
    if (count > 0) checkOrder(rows, places, columns.time, count);
    count += 1;
  }
  if (count === 0) throw new CsvFault(rows.line, 'there is a header but no bar; add one line per bar');
  return whole(columns, count, style);
}

function placesIn(rows: CsvRows): Places {
  if (rows.count > MAX_FIELDS)
    throw new CsvFault(rows.line, `there are more than ${MAX_FIELDS} columns; keep the bars`);
  const names = Array.from({ length: rows.count }, (_, field) => rows.text(field).toLowerCase());
  const placeOf = (name: ColumnName): number | undefined => {
    const place = names.indexOf(name);
    if (place !== names.lastIndexOf(name))
      throw new CsvFault(rows.line, `there are two columns "${name}"; keep one of them`);
    return place < 0 ? undefined : place;
  };
  if (!names.includes('time')) {
    const other = names.findIndex((name) => TIME_NAMES.includes(name));
    if (other >= 0) names[other] = 'time';
  }
  const missing = NEEDED.filter((name) => placeOf(name) === undefined);
  if (missing.length > 0) {
    const isOneField = names.length === 1 && names[0]?.includes('|');
    const remedy = isOneField ? 'separate with commas' : `the first line names the columns, like ${EXAMPLE}`;
    throw new CsvFault(rows.line, `the header has no ${missing.join(', ')}; ${remedy}`);
  }
  const [time = 0, open = 0, high = 0, low = 0, close = 0] = NEEDED.map(placeOf);
  return { time, open, high, low, close, volume: placeOf('volume') };
}

function readRow(rows: CsvRows, places: Places, into: BarColumns, index: number, style: TimeStyle): void {
  into.time[index] = timeIn(rows, places.time, style);
  into.open[index] = priceIn(rows, places.open, 'open');
  const high = priceIn(rows, places.high, 'high');
  const low = priceIn(rows, places.low, 'low');
  if (high < low) throw new CsvFault(rows.line, `high ${high} is below low ${low}; correct or remove the row`);
  into.high[index] = high;
  into.low[index] = low;
  into.close[index] = priceIn(rows, places.close, 'close');
  into.volume[index] = places.volume === undefined ? Number.NaN : volumeIn(rows, places.volume);
}

function priceIn(rows: CsvRows, place: number, name: string): number {
  const price = rows.number(place);
  if (!Number.isFinite(price)) throw noNumber(rows, place, name);
  return price;
}

function timeIn(rows: CsvRows, place: number, style: TimeStyle): number {
  const time = style === 'iso' ? rows.isoTime(place) : rows.number(place);
  if (Number.isFinite(time)) return time;
  const wanted =
    style === 'iso'
      ? 'write it like 2024-03-01T14:30:00Z in every row'
      : 'write it in milliseconds, or in seconds, in every row';
  throw new CsvFault(rows.line, `time ${shown(rows, place)} cannot be read; ${wanted}`);
}

/** Unknown where it is empty or na: not every source has it for every bar. */
function volumeIn(rows: CsvRows, place: number): number {
  const volume = rows.number(place);
  if (Number.isFinite(volume)) return volume;
  if (rows.isEmpty(place) || /^(?:na|nan|null)$/i.test(rows.text(place))) return Number.NaN;
  throw noNumber(rows, place, 'volume');
}

function noNumber(rows: CsvRows, place: number, name: string): CsvFault {
  if (rows.isEmpty(place)) return new CsvFault(rows.line, `${name} is empty; fill it in or remove the row`);
  const text = `${name} ${shown(rows, place)} is no number`;
  return new CsvFault(rows.line, `${text}; write it like 68000.5, without separators of thousands`);
}

function wrongWidth(rows: CsvRows, width: number): CsvFault {
  const has = `the row has ${rows.count} field${rows.count === 1 ? '' : 's'}, the header ${width}`;
  return new CsvFault(rows.line, `${has}; complete the row, or put fields with commas in quotes`);
}

function checkOrder(rows: CsvRows, places: Places, times: Float64Array, index: number): void {
  const time = times[index]!;
  const before = times[index - 1]!;
  if (time > before) return;
  const text = `time ${shown(rows, places.time)}`;
  if (time === before) throw new CsvFault(rows.line, `${text} is there twice; keep one of the two rows`);
  throw new CsvFault(rows.line, `${text} is before the row above; sort the rows by time, oldest first`);
}

const shown = (rows: CsvRows, place: number): string => JSON.stringify(rows.text(place).slice(0, MAX_SHOWN_CHARS));

/** The columns cut to the bars there are, times in milliseconds. */
function whole(columns: BarColumns, count: number, style: TimeStyle | undefined): BarColumns {
  const { time } = columns;
  const [first, last] = [time[0]!, time[count - 1]!];
  const divisor = style === 'number' ? unitsPerMs(Math.max(Math.abs(first), Math.abs(last))) : 1;
  if (style === 'number' && isCompactDate(first) && isCompactDate(last))
    throw new CsvFault(1, `time ${first} is a date without dashes; write it like 2024-03-01 or 2024-03-01T14:30:00Z`);
  for (let i = 0; i < count; i += 1) {
    time[i] = Math.round(time[i]! / divisor);
    if (i > 0 && time[i]! <= time[i - 1]!)
      throw new CsvFault(1, 'some times differ by less than a millisecond; give each bar a time of its own');
  }
  if (Math.max(Math.abs(time[0]!), Math.abs(time[count - 1]!)) > MAX_TIME_MS)
    throw new CsvFault(
      1,
      `time ${last} is beyond every calendar; write it in milliseconds, or in seconds, in every row`,
    );
  return { ...columns, count };
}
