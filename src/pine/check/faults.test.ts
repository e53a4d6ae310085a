// The codes of the checker, its list of findings, and the defaults of the table as expressions.

import { describe, expect, it } from 'vitest';
import { allEntries } from '../builtins/index.ts';
import { defaultOf, parameterType } from '../builtins/model.ts';
import { SYNTAX_CODES } from '../syntax/index.ts';
import { defaultExpr } from './defaults.ts';
import { CHECK_CODES, Findings, MAX_FINDINGS } from './faults.ts';
import { fits } from './shapes.ts';
import { findingsOf } from './testing/checked.ts';

const span = (start: number) => ({ start, end: start + 1 });

describe('codes', () => {
  it('are unique, also among those of the syntax', () => {
    const all = [...Object.values(CHECK_CODES), ...Object.values(SYNTAX_CODES)];
    expect(new Set(all).size).toBe(all.length);
    expect(Object.values(CHECK_CODES).every((code) => /^PE1\d\d$/.test(code))).toBe(true);
  });
});

describe('findings', () => {
  it('stand in the order of the text, one per place and code', () => {
    const findings = new Findings();
    findings.report('wrongType', 'b', span(9));
    findings.report('wrongType', 'a', span(2), 'Do it.');
    findings.report('wrongType', 'again', span(9));
    findings.report('badOperands', 'other', span(9));
    expect(findings.sorted().map(({ message }) => message)).toEqual(['a', 'b', 'other']);
  });

  it('end with one that says so when there are too many', () => {
    const lines = Array.from({ length: MAX_FINDINGS + 50 }, (_, n) => `v${n} = nothing${n}`);
    const found = findingsOf(lines.join('\n'));
    expect(found).toHaveLength(MAX_FINDINGS + 1);
    expect(found[MAX_FINDINGS]).toContain('PE100');
  });
});

describe('defaults', () => {
  it('of the whole table fit their parameters in both versions', () => {
    const wrong: string[] = [];
    for (const entry of allEntries()) {
      if (entry.kind !== 'function') continue;
      for (const { parameters } of entry.overloads)
        for (const parameter of parameters)
          for (const version of parameter.versions) {
            const expr = defaultExpr(parameter, version, span(0));
            if ((expr === null) !== (defaultOf(parameter, version)?.inWords ?? true))
              wrong.push(`${entry.name} ${parameter.name}`);
            if (expr !== null && !fits(expr.type.shape, parameterType(parameter, version).shape, version))
              wrong.push(`${entry.name} ${parameter.name} v${version}`);
          }
    }
    expect(wrong).toEqual([]);
  });
});
