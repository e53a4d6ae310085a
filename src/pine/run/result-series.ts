// What the outputs of a script are called, and which of them are series of numbers.
//
// Names are unique. An output has the name its title gives it; one without a title is called after its kind ("Plot",
// "Shapes"), and whoever comes second to a name gets a number ("Plot 2"). Titles go before names made up here, and
// series before fills and colors, so that a plot keeps its title whatever else the script draws.

import type { OutputSpec } from '../check/tree.ts';
import type { OutputData } from './output-data.ts';

/** Per kind of output: its name when it has no title, and the parameters that are series. */
interface OutputKind {
  readonly name: string;
  readonly values: readonly string[];
}

const BAR_VALUES = ['open', 'high', 'low', 'close'];

/** Everything that is drawn; alertcondition is not. */
export const OUTPUT_KINDS: Readonly<Record<string, OutputKind>> = {
  plot: { name: 'Plot', values: ['series'] },
  plotshape: { name: 'Shapes', values: ['series'] },
  plotchar: { name: 'Characters', values: ['series'] },
  plotarrow: { name: 'Arrows', values: ['series'] },
  plotbar: { name: 'Bars', values: BAR_VALUES },
  plotcandle: { name: 'Candles', values: BAR_VALUES },
  hline: { name: 'Level', values: ['price'] },
  fill: { name: 'Fill', values: [] },
  bgcolor: { name: 'Background', values: [] },
  barcolor: { name: 'Bar color', values: [] },
};

export interface NamedOutput {
  /** Place in the program's outputs. */
  readonly place: number;
  readonly kind: string;
  readonly title: string;
  readonly series: readonly NamedSeries[];
}

export interface NamedSeries {
  /** The output's title; of bars and candles "Title: open" and so on. */
  readonly name: string;
  readonly parameter: string;
}

/** All outputs that are drawn, in the order of the script. */
export function namedOutputs(specs: readonly OutputSpec[]): NamedOutput[] {
  const drawn = specs.flatMap((spec, place) => {
    const kind = OUTPUT_KINDS[spec.name];
    return kind === undefined ? [] : [{ spec, place, kind }];
  });
  const seriesFirst = drawn.toSorted((a, b) => Number(isSeries(b.kind)) - Number(isSeries(a.kind)));
  const owners = new Set<string>();
  const entitled = new Set(
    seriesFirst.filter(({ spec: { title } }) => {
      const isFirst = title !== null && !owners.has(title);
      if (title !== null) owners.add(title);
      return isFirst;
    }),
  );
  const names = new Names();
  return seriesFirst
    .toSorted((a, b) => Number(entitled.has(b)) - Number(entitled.has(a)))
    .map(({ spec, place, kind }) => {
      const parts = kind.values.length > 1 ? kind.values : [];
      const title = names.take(spec.title ?? kind.name, parts);
      const series = kind.values.map((parameter) => ({
        name: parts.length > 0 ? partName(title, parameter) : title,
        parameter,
      }));
      return { place, kind: spec.name, title, series };
    })
    .toSorted((a, b) => a.place - b.place);
}

const isSeries = ({ values }: OutputKind) => values.length > 0;
const partName = (title: string, part: string) => `${title}: ${part}`;

class Names {
  private readonly taken = new Set<string>();
  /** The number last tried for a name, so that a thousand outputs of one title cost a thousand steps. */
  private readonly numbers = new Map<string, number>();

  /** The name, or the name with the first number that makes it and all its parts new. */
  take(name: string, parts: readonly string[]): string {
    let number = this.numbers.get(name) ?? 1;
    let title = number === 1 ? name : `${name} ${number}`;
    const isTaken = (text: string) =>
      this.taken.has(text) || parts.some((part) => this.taken.has(partName(text, part)));
    while (isTaken(title)) {
      number += 1;
      title = `${name} ${number}`;
    }
    this.numbers.set(name, number);
    for (const text of [title, ...parts.map((part) => partName(title, part))]) this.taken.add(text);
    return title;
  }
}

/** The value of an output's argument at a place of its columns, whether it changes from bar to bar or not. */
export function valueAt({ settings, columns }: OutputData, parameter: string, place: number): number {
  return columns[parameter]?.[place] ?? numberOf(settings[parameter]);
}

/** The values of all bars of the chart: na on those before the script's first. */
export function withLeftOut(column: Float64Array, leftOut: number): Float64Array {
  if (leftOut === 0) return column;
  const whole = new Float64Array(leftOut + column.length).fill(Number.NaN, 0, leftOut);
  whole.set(column, leftOut);
  return whole;
}

/** A setting as columns hold it: a bool is 0 or 1, na is NaN, and so is what a division by zero gives. */
export const numberOf = (value: unknown): number =>
  typeof value === 'boolean' || Number.isFinite(value) ? Number(value) : Number.NaN;
