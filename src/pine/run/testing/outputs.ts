// Outputs and programs built by hand, for the tests of results, answers and alert conditions.

import { findFunction } from '../../builtins/index.ts';
import { typeOf, VOID } from '../../builtins/types.ts';
import type { CheckedProgram, OutputSpec } from '../../check/tree.ts';
import type { OutputData } from '../output-data.ts';

const span = { start: 0, end: 1 };

/** What one output call left behind: settings and columns by parameter, among those of one of its overloads. */
export function output(
  name: string,
  title: string | null,
  settings: Record<string, unknown> = {},
  columns: Record<string, readonly number[]> = {},
): OutputData {
  const given = [...Object.keys(settings), ...Object.keys(columns)];
  const overload = findFunction(name)?.overloads.find(({ parameters }) =>
    given.every((one) => parameters.some((parameter) => parameter.name === one)),
  );
  if (overload === undefined) throw new Error(`${name} has no overload with ${given.join(', ')}`);
  const call: OutputSpec['call'] = {
    kind: 'call',
    span,
    type: typeOf('series', VOID),
    name,
    overload,
    arguments: overload.parameters.map((parameter) => ({ parameter, values: [] })),
    typeArguments: [],
  };
  return {
    spec: { name, title, call },
    settings,
    columns: Object.fromEntries(Object.entries(columns).map(([key, values]) => [key, Float64Array.from(values)])),
  };
}

export const plot = (title: string | null, values: readonly number[], settings: Record<string, unknown> = {}) =>
  output('plot', title, settings, { series: values });

export function programOf(outputs: readonly OutputData[], over: Partial<CheckedProgram> = {}): CheckedProgram {
  return {
    version: 6,
    scriptType: 'indicator',
    title: 'Test',
    settings: {},
    declaredAt: { start: 0, end: 0 },
    types: [],
    enums: [],
    functions: [],
    main: { statements: [], value: null },
    inputs: [],
    outputs: outputs.map(({ spec }) => spec),
    ...over,
  };
}
