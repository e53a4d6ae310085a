// Tests that drawings have every function and property of the table of built-ins.

import { describe, expect, it } from 'vitest';
import { findFunction, membersOf } from '../builtins/index.ts';
import { BOX, CELL, LABEL, LINE, LINEFILL, POLYLINE, type PropertyList, TABLE } from './properties.ts';
import { entryName, openBoard } from './testing/board.ts';

const NAMESPACES = ['line', 'linefill', 'polyline', 'label', 'box', 'table', 'chart.point'];

describe.each([5, 6] as const)('version %i', (version) => {
  const { entries } = openBoard({ version });

  it.each(NAMESPACES)('has every function of %s', (namespace) => {
    const wanted = membersOf(namespace, version).flatMap((entry) =>
      entry.kind === 'function' ? entry.overloads.map((overload) => entryName(entry.name, overload)) : [],
    );
    expect(wanted.length).toBeGreaterThan(1);
    expect(wanted.filter((name) => entries[name]?.kind !== 'function')).toEqual([]);
  });

  it('has no entry that can be changed', () => {
    expect(Object.isFrozen(entries)).toBe(true);
  });
});

it('has no function that the table of built-ins does not know', () => {
  const known = new Set(
    NAMESPACES.flatMap((namespace) => membersOf(namespace, 6)).flatMap((entry) =>
      entry.kind === 'function' ? entry.overloads.map((overload) => entryName(entry.name, overload)) : [],
    ),
  );
  expect(Object.keys(openBoard().entries).filter((name) => !known.has(name))).toEqual([]);
});

describe('the properties', () => {
  const cases: [string, PropertyList, number][] = [
    ['line.new', LINE, 0],
    ['label.new', LABEL, 0],
    ['box.new', BOX, 0],
    ['linefill.new', LINEFILL, 2],
    ['polyline.new', POLYLINE, 1],
    ['table.new', TABLE, 0],
    ['table.cell', CELL, 3],
  ];

  it.each(cases)('of %s are its parameters in order', (name, properties, skipped) => {
    const parameters = findFunction(name)!.overloads[0]!.parameters.slice(skipped);
    expect(properties.names).toEqual(parameters.map((parameter) => parameter.name));
  });

  it.each(cases)('of %s that are colors are known to be', (name, properties, skipped) => {
    const parameters = findFunction(name)!.overloads[0]!.parameters.slice(skipped);
    const colors = parameters.filter(({ type }) => type.shape.kind === 'scalar' && type.shape.name === 'color');
    expect(properties.names.filter((_, slot) => properties.forms[slot] === 'color')).toEqual(
      colors.map((parameter) => parameter.name),
    );
  });

  it.each(cases)('of %s can only be short of text_formatting in version 5', (name, _properties, skipped) => {
    const parameters = findFunction(name)!.overloads[0]!.parameters.slice(skipped);
    const missing = parameters.filter(({ versions }) => !versions.includes(5));
    expect(missing.map((parameter) => parameter.name)).toEqual(
      parameters.at(-1)?.name === 'text_formatting' ? ['text_formatting'] : [],
    );
  });
});
