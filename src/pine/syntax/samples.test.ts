// Whole scripts: those whose values were exported from TradingView, and one that uses every construct.

import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { format, type Node, parse, walk } from './index.ts';
import { withoutSpans } from './testing/print-ast.ts';

const FOLDER = fileURLToPath(new URL('../../../tests/pine/syntax', import.meta.url));
const scripts = globSync(`${FOLDER}/*.pine`).sort();
const read = (path: string) => readFileSync(path, 'utf8');

describe('the sample scripts', () => {
  it('are all there', () => {
    expect(scripts).toHaveLength(21);
  });

  it.each(scripts.map((path) => [basename(path, '.pine'), path]))('%s is accepted', (_name, path) => {
    const { diagnostics, script, version } = parse(read(path));
    expect(diagnostics).toEqual([]);
    expect(script.statements.length).toBeGreaterThan(2);
    expect(version).toBe(6);
  });

  it.each(scripts.map((path) => [basename(path, '.pine'), path]))(
    '%s means the same after formatting',
    (_name, path) => {
      const { text } = format(read(path));
      expect(withoutSpans(parse(text).script)).toEqual(withoutSpans(parse(read(path)).script));
      expect(format(text).text).toBe(text);
    },
  );
});

describe('the script that uses everything', () => {
  const source = read(`${FOLDER}/everything.pine`);

  it('is formatted already', () => {
    expect(format(source).text).toBe(source);
  });

  it('has a node of every kind, except for mistakes', () => {
    const kinds = new Set<Node['kind']>();
    const { script } = parse(source);
    for (const annotation of script.annotations) kinds.add(annotation.kind);
    walk(script, ({ kind }) => {
      kinds.add(kind);
      return undefined;
    });
    const all: Record<Exclude<Node['kind'], 'hole' | 'error'>, true> = {
      ...{
        script: true,
        annotation: true,
        variable: true,
        'tuple-declaration': true,
        assignment: true,
        function: true,
      },
      ...{
        type: true,
        enum: true,
        import: true,
        expression: true,
        break: true,
        continue: true,
        int: true,
        float: true,
      },
      ...{ string: true, color: true, bool: true, na: true, identifier: true, member: true, history: true, call: true },
      ...{
        unary: true,
        binary: true,
        conditional: true,
        tuple: true,
        if: true,
        for: true,
        'for-in': true,
        while: true,
      },
      ...{ switch: true, once: true, block: true, 'if-branch': true, 'switch-arm': true, argument: true, field: true },
      ...{ parameter: true, 'enum-member': true, 'type-reference': true, name: true },
    };
    expect([...kinds].sort()).toEqual(Object.keys(all).sort());
  });
});
