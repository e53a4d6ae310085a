// `map.*`, `str.*`, `color.*`, `math.*` and the functions of time, for the emitter.

import * as colors from './colors.ts';
import { functions, methods, type ValueEntries, type ValueHost } from './entry.ts';
import { mapId, PineMap } from './maps.ts';
import * as math from './math.ts';
import { formatDate, ISO_PATTERN } from './strings/date-format.ts';
import { limited } from './strings/limit.ts';
import { formatMessage } from './strings/message-format.ts';
import * as strings from './strings/strings.ts';
import { toText } from './strings/to-text.ts';
import * as calendar from './time/calendar.ts';
import * as timeframes from './time/timeframe.ts';
import { parseDate, timestamp } from './time/timestamp.ts';
import { type Zone, zoneOf } from './time/zone.ts';

const MAP_METHODS = ['size', 'get', 'contains', 'put', 'remove', 'clear', 'keys', 'values', 'copy'];

/** `map.new<K, V>` takes whether keys and values are numbers, which the emitter knows from the types. */
export function mapEntries({ journal }: ValueHost): ValueEntries {
  return {
    ...methods('map.', mapId, MAP_METHODS),
    ...functions('map.', {
      new: (numberKeys: boolean, numberValues: boolean) => new PineMap(journal, { numberKeys, numberValues }),
      put_all: (id: PineMap<unknown, unknown>, other: PineMap<unknown, unknown>) => mapId(id).put_all(mapId(other)),
    }),
  };
}

export function stringEntries({ journal, mintick, market }: ValueHost): ValueEntries {
  return functions('str.', {
    contains: strings.contains,
    endswith: strings.endsWith,
    format: (format: string, ...values: unknown[]) => formatMessage(format, values, mintick),
    format_time: (timeMs: number, pattern: string | null = ISO_PATTERN, zone: string = market.timezone) =>
      limited(formatDate(timeMs, pattern ?? ISO_PATTERN, zoneOf(zone))),
    length: strings.length,
    lower: strings.lower,
    match: strings.match,
    pos: strings.position,
    repeat: strings.repeat,
    replace: strings.replace,
    replace_all: strings.replaceAll,
    split: (source: string | null, separator: string | null) => strings.split(journal, source, separator),
    startswith: strings.startsWith,
    substring: strings.substring,
    tonumber: strings.toNumber,
    tostring: (value: unknown, format?: string | null) => limited(toText(value, format, mintick)),
    trim: strings.trim,
    upper: strings.upper,
  });
}

export function colorEntries(): ValueEntries {
  return functions('color.', {
    new: colors.withTransparency,
    rgb: colors.rgb,
    r: colors.red,
    g: colors.green,
    b: colors.blue,
    t: colors.transparency,
    from_gradient: colors.fromGradient,
  });
}

export function mathEntries({ mintick }: ValueHost): ValueEntries {
  return {
    ...functions('math.', {
      abs: Math.abs,
      acos: Math.acos,
      asin: Math.asin,
      atan: Math.atan,
      avg: math.averageOf,
      ceil: (value: number) => Math.ceil(value) + 0,
      cos: Math.cos,
      exp: Math.exp,
      floor: Math.floor,
      log: Math.log,
      log10: Math.log10,
      max: Math.max,
      min: Math.min,
      pow: Math.pow,
      round: (value: number, precision?: number) =>
        precision === undefined ? math.round(value) : math.roundTo(value, precision),
      round_to_mintick: (value: number) => math.roundToMintick(value, mintick),
      sign: math.sign,
      sin: Math.sin,
      sqrt: Math.sqrt,
      tan: Math.tan,
      todegrees: math.toDegrees,
      toradians: math.toRadians,
    }),
    ...functions('', { int: math.toInt, nz: math.nz, 'nz<item>': math.nzItem }),
  };
}

export function timeEntries({ market }: ValueHost): ValueEntries {
  const part =
    (read: (timeMs: number, zone: Zone) => number) =>
    (timeMs: number, zone: string = market.timezone) =>
      read(timeMs, zoneOf(zone));
  const frame = (text = '') => timeframes.parseTimeframe(text || market.timeframe);
  return functions('', {
    year: part(calendar.year),
    month: part(calendar.month),
    weekofyear: part(calendar.weekOfYear),
    dayofmonth: part(calendar.dayOfMonth),
    dayofweek: part(calendar.dayOfWeek),
    hour: part(calendar.hour),
    minute: part(calendar.minute),
    second: part(calendar.second),
    timestamp: (...values: [string] | [string, ...number[]] | number[]) => timestampOf(values, market.timezone),
    'timeframe.in_seconds': (text?: string) => timeframes.inSeconds(frame(text)),
    'timeframe.from_seconds': timeframes.fromSeconds,
  });
}

/** The three forms: a written date; numbers in the exchange's zone; a zone and numbers. */
function timestampOf(values: readonly (string | number)[], exchangeZone: string): number {
  const [first] = values;
  if (typeof first === 'string' && values.length === 1) return parseDate(first);
  const zone = zoneOf(typeof first === 'string' ? first : exchangeZone);
  const numbers = (typeof first === 'string' ? values.slice(1) : values) as number[];
  const [year = Number.NaN, month = Number.NaN, day = Number.NaN, hour, minute, second] = numbers;
  return timestamp(zone, year, month, day, hour, minute, second);
}
