// Escaping, filling and cutting against an independent reader of the Bot API's markup.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shownText, type WireParseMode } from '../../../tests/support/bot-api-text.ts';
import { PLACEHOLDERS, type TemplateValues } from '../books/outcome-values.ts';
import { PARSE_MODES, type ParseMode } from '../signal.ts';
import { escapeFor } from './escape.ts';
import { CUT_MARK, fitMessage, shorten } from './fit.ts';
import { piecesOf } from './markup.ts';
import { fillTemplate } from './template.ts';

const RICH: readonly ParseMode[] = ['HTML', 'Markdown', 'MarkdownV2'];
const wire = (mode: ParseMode): WireParseMode => (mode === 'Plain' ? undefined : mode);
const shown = (text: string, mode: ParseMode): string => shownText(text, wire(mode));
/** Full of what means something in a parse mode. */
const hostile = fc.string({
  unit: fc.constantFrom(...'_*[]()~`>#+-=|{}.!\\&<>"\'/;:ab 🚂…\n'.match(/./gsu)!),
  maxLength: 60,
});
const anyValue = fc.oneof(hostile, fc.string({ unit: 'grapheme', maxLength: 60 }));
const valuesWith = (value: string): TemplateValues =>
  Object.fromEntries(PLACEHOLDERS.map((name) => [name, value])) as TemplateValues;
/** The old Markdown marks a backslash at the end with something invisible. */
const visible = (text: string): string => text.replaceAll('\u200b', '');

describe('an escaped value', () => {
  it.each(RICH)('is shown in %s exactly as it is, whatever it holds', (mode) => {
    fc.assert(
      fc.property(anyValue, (value) => {
        expect(visible(shown(escapeFor(mode, value), mode))).toBe(visible(value));
      }),
      { numRuns: 500 },
    );
  });

  it('is left alone in Plain', () => {
    expect(escapeFor('Plain', '<b>*_`\\')).toBe('<b>*_`\\');
  });

  it.each([
    ['HTML', `<&>"'`, '&lt;&amp;&gt;&quot;&#39;'],
    ['MarkdownV2', 'a.b-c!\\', 'a\\.b\\-c\\!\\\\'],
    ['Markdown', 'BTC_USDT.P*', 'BTC\\_USDT.P\\*'],
  ] as const)('in %s has its reserved characters marked: %s', (mode, value, expected) => {
    expect(escapeFor(mode, value)).toBe(expected);
  });
});

const TEMPLATES: readonly [ParseMode, string][] = [
  ['HTML', '<b>{{error}}</b> and <a href="https://x.example/?q={{error}}">{{error}}</a> {{error}}'],
  ['MarkdownV2', '*{{error}}* _a{{error}}_ `{{error}}` [{{error}}](https://x.example/{{error}}) {{error}}'],
  [
    'Markdown',
    '*{{error}}* _{{error}}_ `{{error}}` ```{{error}}``` [a{{error}}](https://x.example/{{error}}) {{error}}',
  ],
];

describe('a filled template', () => {
  it.each(TEMPLATES)('in %s can always be read, wherever the value stands', (mode, template) => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const filled = fillTemplate(template, valuesWith(value), mode);
        expect(() => shown(filled, mode)).not.toThrow();
        expect(visible(shown(filled, mode)).endsWith(` ${visible(value)}`)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('has every placeholder of ours, with blanks or without, and leaves others as they are', () => {
    const values = Object.fromEntries(PLACEHOLDERS.map((name) => [name, `<${name}>`])) as TemplateValues;
    for (const name of PLACEHOLDERS) {
      expect(fillTemplate(`{{${name}}}/{{ ${name} }}`, values, 'Plain')).toBe(`<${name}>/<${name}>`);
    }
    for (const other of [
      '{{close}}',
      '{{strategy.order.action}}',
      '{{}}',
      '{action}',
      '{{ACTION}}',
      '{{action',
      '{{toString}}',
    ]) {
      expect(fillTemplate(other, values, 'Plain')).toBe(other);
    }
    expect(fillTemplate('{{{action}}}', values, 'HTML')).toBe('{&lt;action&gt;}');
  });

  it('does not look for placeholders in a value', () => {
    expect(fillTemplate('{{error}}', valuesWith('{{orderId}} $& $1'), 'Plain')).toBe('{{orderId}} $& $1');
  });

  it('shows a value inside bold in the old Markdown without a stray backslash', () => {
    const filled = fillTemplate('*{{symbol}}* _{{symbol}}_', valuesWith('BTC_USDT'), 'Markdown');
    expect(shown(filled, 'Markdown')).toBe('BTC_USDT BTC_USDT');
  });

  it('shortens a value of a thousand units and more', () => {
    expect(fillTemplate('{{error}}!', valuesWith('x'.repeat(1000)), 'Plain')).toBe(`${'x'.repeat(1000)}!`);
    expect(fillTemplate('{{error}}!', valuesWith('x'.repeat(1001)), 'Plain')).toBe(`${'x'.repeat(999)}…!`);
  });
});

describe('a text that is too long', () => {
  it.each([
    ['Plain', ''],
    ['HTML', '<b></b>'],
    ['MarkdownV2', '\\.'],
    ['Markdown', '\\_'],
  ] as const)('in %s is cut after 4096 units, and not at 4096', (mode, markup) => {
    const base = shown(markup, mode).length;
    const exact = markup + 'x'.repeat(4096 - base);
    expect(fitMessage(exact, mode)).toBe(exact);
    const cut = fitMessage(`${exact}x`, mode);
    expect(shown(cut, mode)).toHaveLength(4096);
    expect(cut.endsWith(`x${CUT_MARK}`)).toBe(true);
  });

  it('is never cut inside a pair of surrogates', () => {
    for (const lead of ['', 'a']) {
      const cut = fitMessage(lead + '🚂'.repeat(3000), 'Plain');
      expect(cut.isWellFormed()).toBe(true);
      expect(cut.length).toBeLessThanOrEqual(4096);
      expect(cut.length).toBeGreaterThanOrEqual(4095);
      expect(cut).toMatch(/🚂…$/u);
    }
  });

  it('counts what is shown: 4096 escapes are 4096 units', () => {
    for (const [mode, raw] of [
      ['HTML', '&lt;'],
      ['MarkdownV2', '\\.'],
      ['Markdown', '\\_'],
    ] as const) {
      expect(fitMessage(raw.repeat(4096), mode)).toBe(raw.repeat(4096));
      expect(fitMessage(raw.repeat(4097), mode)).toBe(raw.repeat(4095) + CUT_MARK);
    }
  });

  it.each([
    ['HTML', `<b><i>${'x'.repeat(30)}</i></b>`],
    ['HTML', `<a href="https://x.example">${'x'.repeat(30)}</a>`],
    ['MarkdownV2', `__u _${'x'.repeat(30)}_**__`],
    ['MarkdownV2', `[${'x'.repeat(30)}](https://x.example/a\\)b)`],
    ['MarkdownV2', `\`\`\`${'x'.repeat(30)}\`\`\``],
    ['MarkdownV2', `||~*${'x'.repeat(30)}*~||`],
    ['Markdown', `[${'x'.repeat(30)}](https://x.example)`],
    ['Markdown', `*${'x'.repeat(30)}*`],
  ] as const)('in %s closes what is open: %s', (mode, text) => {
    for (let limit = 5; limit < 30; limit++) {
      const cut = fitMessage(text, mode, limit);
      expect(shown(cut, mode).length).toBeLessThanOrEqual(limit);
      expect(shown(cut, mode)).toMatch(/…$/);
    }
  });

  it.each(RICH)('and filled from a template in %s still fits and can still be read', (mode) => {
    const template = TEMPLATES.find(([known]) => known === mode)?.[1] as string;
    fc.assert(
      fc.property(anyValue, fc.integer({ min: 8, max: 200 }), (value, limit) => {
        const cut = fitMessage(fillTemplate(template, valuesWith(value), mode), mode, limit);
        expect(shown(cut, mode).length).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 500 },
    );
  });

  it.each(PARSE_MODES)('is read whole by our own reader in %s, sound or not', (mode) => {
    fc.assert(
      fc.property(anyValue, fc.integer({ min: 2, max: 40 }), (text, limit) => {
        expect([...piecesOf(text, mode)].map(({ raw }) => raw).join('')).toBe(text);
        expect(fitMessage(text, mode, limit).isWellFormed() || !text.isWellFormed()).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

it('a value is shortened with a mark', () => {
  expect(shorten('abcdef', 6)).toBe('abcdef');
  expect(shorten('abcdefg', 6)).toBe('abcde…');
});
