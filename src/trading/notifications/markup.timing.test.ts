// A template of nothing but placeholders, or of nothing but brackets, costs in proportion to its length.

import { expect, test } from 'vitest';
import { growthOf, MOST_GROWTH } from '../../../tests/support/growth.ts';
import { PLACEHOLDERS, type TemplateValues } from '../books/outcome-values.ts';
import { PARSE_MODES } from '../signal.ts';
import { fitMessage } from './fit.ts';
import { fillTemplate } from './template.ts';

const VALUES = Object.fromEntries(PLACEHOLDERS.map((name) => [name, '_*[`\\<&'.repeat(140)])) as TemplateValues;

test.each(
  PARSE_MODES.flatMap((mode) => [
    [mode, '{{error}}'] as const,
    [mode, '[['] as const,
    [mode, '['.repeat(24).concat('{{error}}')] as const,
  ]),
)('in %s, made of %j', (mode, piece) => {
  const work = (size: number) => {
    const template = piece.repeat(size / piece.length);
    return () => fitMessage(fillTemplate(template, VALUES, mode), mode);
  };
  expect(growthOf(work, 4096)).toBeLessThan(MOST_GROWTH);
});
