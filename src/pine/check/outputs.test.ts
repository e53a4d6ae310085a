// Tests of what an output is known by: its kind and its title.

import { describe, expect, it } from 'vitest';
import { findFunction } from '../builtins/index.ts';
import { isRefused } from './constants-of-call.ts';
import { outputSpec } from './outputs.ts';
import { binary, bool, call, named, text, variable } from './testing/spec-trees.ts';

describe('an output', () => {
  it('has the title of its call, folded', () => {
    const plot = call('plot', [named('close')], { title: binary('+', 'string', text('Up'), text('per')) });
    expect(outputSpec(plot)).toEqual({ name: 'plot', title: 'Upper', call: plot });
  });

  it('has no title where none is given, an empty one, or na', () => {
    for (const given of [[], [text('')], [text(null)]]) {
      const spec = outputSpec(call('plot', [named('close'), ...given]));
      expect(spec).toMatchObject({ name: 'plot', title: null });
    }
  });

  it('is refused at its title when the title is not known before the run', () => {
    const good = call('plot', [named('close')], { title: text('x') });
    const bad = {
      ...good,
      arguments: good.arguments.map((one) =>
        one.parameter.name === 'title'
          ? { ...one, values: [{ ...variable('string'), span: { start: 77, end: 78 } }] }
          : one,
      ),
    };
    const spec = outputSpec(bad);
    expect(isRefused(spec) && spec.span.start).toBe(77);
    expect(isRefused(spec) && spec.message).toContain("'title' argument of plot()");
  });

  it('is one of eleven functions, each of which has a title', () => {
    const all = 'plot plotshape plotchar plotarrow plotbar plotcandle hline fill bgcolor barcolor alertcondition';
    for (const name of all.split(' '))
      for (const { parameters } of findFunction(name)?.overloads ?? [])
        expect(parameters.some((parameter) => parameter.name === 'title')).toBe(true);
  });

  it('may be an alert condition', () => {
    expect(outputSpec(call('alertcondition', [bool(true), text('Cross'), text('now')]))).toMatchObject({
      title: 'Cross',
    });
  });
});
