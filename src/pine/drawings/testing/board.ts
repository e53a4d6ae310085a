// A board to draw on for tests: calls a function by its name in Pine, with the defaults of the table of built-ins.

import { findFunction, findValue } from '../../builtins/index.ts';
import { defaultOf, type Overload } from '../../builtins/model.ts';
import { ItemArray } from '../../values/arrays/item-array.ts';
import { Journal } from '../../values/rollback.ts';
import { type ChartPoint, createDrawings, type Drawing, type DrawingHost, type Drawings } from '../index.ts';

export type Named = Readonly<Record<string, unknown>>;

export interface Board extends Drawings {
  readonly journal: Journal;
  /** The bar that runs, and the number of the chart's last where that is another. */
  bar: { index: number; last: number; timeMs: number; close: number };
  /** With plain arguments in order, as the emitted code calls it. */
  call<T = unknown>(name: string, ...values: unknown[]): T;
  /** With named arguments; what is left out is the default of the version. */
  draw<T = Drawing>(name: string, named: Named): T;
  points(...points: (ChartPoint | null)[]): ItemArray<ChartPoint>;
}

export const LIMITS = { lines: 50, labels: 50, boxes: 50, polylines: 50 };

export function openBoard(overrides: Partial<DrawingHost> = {}): Board {
  const journal = overrides.journal ?? new Journal();
  const version = overrides.version ?? 6;
  const bar = { index: 100, last: 0, timeMs: 1_700_000_000_000, close: 42 };
  const drawings = createDrawings({
    version,
    journal,
    limits: LIMITS,
    barIndex: () => bar.index,
    lastBarIndex: () => Math.max(bar.index, bar.last),
    timeMs: () => bar.timeMs,
    close: () => bar.close,
    ...overrides,
  });
  const call = <T>(name: string, ...values: unknown[]): T => {
    const entry = drawings.entries[name];
    if (entry?.kind !== 'function') throw new Error(`there is no function ${name}`);
    return entry.call(...(values as never[])) as T;
  };
  return {
    ...drawings,
    journal,
    bar,
    call,
    draw<T>(name: string, named: Named): T {
      const overload = overloadOf(name, named);
      const values = overload.parameters
        .filter(({ versions }) => versions.includes(version))
        .map((parameter) =>
          Object.hasOwn(named, parameter.name)
            ? named[parameter.name]
            : defaultValue(defaultOf(parameter, version)?.text),
        );
      return call(entryName(name, overload), ...values);
    },
    points: (...points) => ItemArray.of<ChartPoint>(journal, points),
  };
}

/** As the emitter chooses: constructors whose first parameter is a point are entries of their own. */
export function entryName(name: string, overload: Overload): string {
  const shape = overload.parameters[0]?.type.shape;
  const byPoints = name.endsWith('.new') && shape?.kind === 'object' && shape.name === 'chart.point';
  return byPoints ? `${name}<points>` : name;
}

function overloadOf(name: string, named: Named): Overload {
  const overloads = findFunction(name)?.overloads ?? [];
  const found = overloads.find(({ parameters }) => Object.hasOwn(named, parameters[0]!.name));
  if (found === undefined) throw new Error(`no form of ${name} takes ${Object.keys(named).join(', ')}`);
  return found;
}

/** The value of a default as the table writes it. */
function defaultValue(text: string | undefined): unknown {
  if (text === undefined || text.startsWith('{')) return undefined;
  if (text === 'na') return null;
  if (/^(".*"|true|false|-?[\d.]+)$/.test(text)) return JSON.parse(text);
  const constant = findValue(text);
  return constant?.kind === 'constant' ? constant.value : undefined;
}
