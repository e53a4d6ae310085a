// How an output is to be drawn: its settings, its colors as text, and columns for those that change from bar to bar.

import type { ConstantValue } from '../check/tree.ts';
import { withTransparency } from '../values/colors.ts';
import { formatColor } from '../values/index.ts';
import type { OutputData } from './output-data.ts';
import { type NamedOutput, numberOf, withLeftOut } from './result-series.ts';

export interface PlotMeta {
  readonly title: string;
  /** The function: plot, plotshape, hline, fill, bgcolor… */
  readonly kind: string;
  /** Names in the result's series; none of a fill or a color. */
  readonly series: readonly string[];
  /**
   * By the names of the function's parameters; colors as "#RRGGBB" or "#RRGGBBAA". `color` is always there, null where
   * there is none. Of what changes from bar to bar, the value on the last bar that has one.
   */
  readonly settings: Readonly<Record<string, ConstantValue>>;
  /** What changes from bar to bar, by parameter: colors as numbers 0xRRGGBBAA, na as NaN. */
  readonly columns: Readonly<Record<string, Float64Array>>;
}

/** Told by title, by series or not at all: `editable` concerns a dialog, `transp` goes into the colors. */
const LEFT_OUT = new Set(['title', 'series', 'open', 'high', 'low', 'close', 'editable', 'transp']);
/** Arguments that are other outputs: they are named by their titles. */
const PARTNERS = new Set(['plot1', 'plot2', 'hline1', 'hline2']);
/** The language's blue, for marks whose color the script leaves open. */
const BLUE = '#2962FF';
const MARKS = new Set(['plotshape', 'plotchar', 'plotbar', 'plotcandle']);

export const isColor = (parameter: string) => parameter.includes('color');

interface MetaContext {
  readonly titles: ReadonlyMap<number, string>;
  /** Whether the script draws on the chart's own pane. */
  readonly scriptOverlay: boolean;
  readonly count: number;
  readonly leftOut: number;
}

export function plotMeta(named: NamedOutput, data: OutputData, context: MetaContext): PlotMeta {
  const settings: Record<string, ConstantValue> = { color: MARKS.has(named.kind) ? BLUE : null };
  const columns: Record<string, Float64Array> = {};
  const transparency = numberOf(data.settings.transp);
  for (const parameter of parametersOf(data)) {
    if (PARTNERS.has(parameter)) {
      settings[parameter] = context.titles.get(partnerOf(data, parameter)) ?? null;
      continue;
    }
    const column = changing(data.columns[parameter], context.count);
    const shaded = isColor(parameter) && transparency > 0 ? column?.map((color) => shade(color, transparency)) : column;
    if (shaded !== undefined) columns[parameter] = withLeftOut(shaded, context.leftOut);
    const value = shaded === undefined ? onlyValue(data, parameter, transparency) : lastOf(shaded);
    settings[parameter] = isColor(parameter) ? colorText(value) : plain(parameter, value);
  }
  return {
    title: named.title,
    kind: named.kind,
    series: named.series.map(({ name }) => name),
    settings: { ...settings, ...implied(named.kind, settings, context.scriptOverlay) },
    columns,
  };
}

/** The arguments of an output that change from bar to bar, at a place of its columns: colors as numbers, na as NaN. */
export function changingAt(data: OutputData, place: number): Record<string, number> {
  const transparency = numberOf(data.settings.transp);
  const found: Record<string, number> = {};
  for (const parameter of parametersOf(data)) {
    const value = data.columns[parameter]?.[place];
    if (value === undefined || PARTNERS.has(parameter)) continue;
    found[parameter] = isColor(parameter) && transparency > 0 ? shade(value, transparency) : value;
  }
  return found;
}

/** In the order of the signature. */
function parametersOf({ spec, settings, columns }: OutputData): string[] {
  return spec.call.arguments.flatMap(({ parameter: { name } }) =>
    !LEFT_OUT.has(name) && (settings[name] !== undefined || columns[name] !== undefined) ? [name] : [],
  );
}

/** What a drawing needs and the script left to its kind. */
function implied(kind: string, settings: Record<string, ConstantValue>, scriptOverlay: boolean) {
  const found: Record<string, ConstantValue> = {
    overlay: scriptOverlay || settings.force_overlay === true || kind === 'barcolor',
  };
  if (kind === 'plotchar' && settings.char === undefined) found.char = '★';
  if (kind === 'plotarrow') found.color = settings.colorup ?? null;
  return found;
}

/** The value of a plot or level is the place of its call; the emitter keeps it like any other argument. */
const partnerOf = ({ settings, columns }: OutputData, parameter: string): number =>
  numberOf(settings[parameter] ?? columns[parameter]?.[0]);

/** The first `count` values of a column, or undefined when they are all the same. */
function changing(column: Float64Array | undefined, count: number): Float64Array | undefined {
  if (column === undefined) return undefined;
  for (let i = 1; i < count; i += 1) if (!Object.is(column[i], column[0])) return column.subarray(0, count);
  return undefined;
}

/** The value of an argument that is the same on all bars. */
function onlyValue({ settings, columns }: OutputData, parameter: string, transparency: number): unknown {
  const value = columns[parameter]?.[0] ?? settings[parameter];
  return isColor(parameter) && transparency > 0 && typeof value === 'number' ? shade(value, transparency) : value;
}

/** A v5 `transp` argument shades the colors that have no transparency of their own. */
function shade(color: number, transparency: number): number {
  const isOpaque = color % 0x100 === 0xff;
  return isOpaque ? withTransparency(color, transparency) : color;
}

function lastOf(column: Float64Array): number {
  const at = column.findLastIndex((value) => !Number.isNaN(value));
  return at === -1 ? Number.NaN : (column[at] as number);
}

export const colorText = (value: unknown): string | null =>
  typeof value === 'number' && !Number.isNaN(value) ? formatColor(value) : null;

/** Styles stand without the prefix that tells them apart in the language: "histogram", "dashed". */
function plain(parameter: string, value: unknown): ConstantValue {
  if (typeof value === 'string') return parameter.endsWith('style') ? value.replace(/^(line)?style_/, '') : value;
  return typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
