// Reads bars from a CSV file into columns; whatever is wrong in it is told with its line and the remedy.

import { type BarColumns, emptyColumns } from '../pine/index.ts';
import { countsSeconds, parseIsoTime } from './bar-time.ts';
import { CsvFault, CsvRows } from './csv-rows.ts';

export { CsvFault };

/** A wider file is no file of bars. */
const MAX_FIELDS = 1024;
/** Ten years of minutes are about five million; columns of this many take half a gigabyte. */
const MAX_BARS = 10_000_000;
const PRICES = ['open', 'high', 'low', 'close'] as const;
const NEEDED = ['time', ...PRICES] as const;
const EXAMPLE = 'time,open,high,low,close,volume';
const MAX_SHOWN_CHARS = 40;

type ColumnName = (typeof NEEDED)[number] | 'volume';
type Places = Readonly<Record<(typeof NEEDED)[number], number>> & { readonly volume: number | undefined };

/** How the file writes times; the first row decides, and the others must follow. */
type TimeStyle = 'number' | 'iso';

export function parseBarsCsv(bytes: Uint8Array): BarColumns {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff))
    throw new CsvFault(1, 'the file is UTF-16; save it as UTF-8');
  const rows = new CsvRows(bytes, MAX_FIELDS);
  if (!rows.next()) throw new CsvFault(1, `the file is empty; its first line must be ${EXAMPLE}`);
  const places = placesIn(rows);
  const width = rows.count;
  const columns = emptyColumns(Math.min(lineEnds(bytes), MAX_BARS));
  let count = 0;
  let style: TimeStyle | undefined;
  while (rows.next()) {
    if (count === MAX_BARS) throw new CsvFault(rows.line, `there are more than ${MAX_BARS} bars; split the file`);
    if (rows.count !== width) throw wrongWidth(rows, width);
    style ??= Number.isNaN(rows.number(places.time)) ? 'iso' : 'number';
    readRow(rows, places, columns, count, style);
    if (count > 0) checkOrder(rows, places, columns.time, count);
    count += 1;
  }
  if (count === 0) throw new CsvFault(rows.line, 'there is a header but no bar; add one line per bar');
  return whole(columns, count, style);
}

/** An upper bound on the bars: every row but the header has a line end of its own before it. */
function lineEnds(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === 10 || bytes[at] === 13) count += 1;
  return count;
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
  const missing = NEEDED.filter((name) => placeOf(name) === undefined);
  if (missing.length > 0) {
    const header = names.join(',');
    const separator = /[;\t|]/.exec(header);
    const remedy = separator === null ? `the first line names the columns, like ${EXAMPLE}` : 'separate with commas';
    throw new CsvFault(rows.line, `the header has no ${missing.join(', ')}; ${remedy}`);
  }
  const [time = 0, open = 0, high = 0, low = 0, close = 0] = NEEDED.map(placeOf);
  return { time, open, high, low, close, volume: placeOf('volume') };
}

function readRow(rows: CsvRows, places: Places, into: BarColumns, index: number, style: TimeStyle): void {
  into.time[index] = timeIn(rows, places.time, style);
  for (const name of PRICES) {
    const price = rows.number(places[name]);
    if (!Number.isFinite(price)) throw noNumber(rows, places[name], name);
    into[name][index] = price;
  }
  if (into.high[index]! < into.low[index]!)
    throw new CsvFault(
      rows.line,
      `high ${into.high[index]} is below low ${into.low[index]}; correct or remove the row`,
    );
  into.volume[index] = places.volume === undefined ? Number.NaN : volumeIn(rows, places.volume);
}

function timeIn(rows: CsvRows, place: number, style: TimeStyle): number {
  const time = style === 'iso' ? parseIsoTime(rows.text(place)) : rows.number(place);
  if (Number.isFinite(time) && Math.abs(time) <= 8.64e15) return time;
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
  if (style === 'number' && countsSeconds(Math.max(Math.abs(time[0]!), Math.abs(time[count - 1]!))))
    for (let i = 0; i < count; i += 1) time[i] = time[i]! * 1000;
  for (let i = 0; i < count; i += 1) {
    time[i] = Math.round(time[i]!);
    if (i > 0 && time[i]! <= time[i - 1]!)
      throw new CsvFault(1, 'some times differ by less than a millisecond; give each bar a time of its own');
  }
  return { ...columns, count };
}
