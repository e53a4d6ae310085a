// Parsing of request bodies: what passes, what is refused, and whether the refusal helps.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJsonBody } from './json-body.ts';

function parse(text: string) {
  return parseJsonBody(new TextEncoder().encode(text));
}

function messageOf(text: string): string {
  const parsed = parse(text);
  if (parsed.ok) throw new Error('this body was expected to be refused');
  return parsed.message;
}

describe('a JSON body', () => {
  test('gives back any JSON value unchanged', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(3), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(parse(text)).toEqual({ ok: true, value: JSON.parse(text) });
      }),
    );
  });

  test('never throws and refuses exactly what JSON.parse refuses, but for duplicates and depth', () => {
    const scraps = fc.array(
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        ':',
        ',',
        '"a"',
        '"b"',
        '1',
        '-',
        'null',
        'NaN',
        ' ',
        '\\',
        '"',
        '\n',
        'é',
        '{{',
      ),
      { maxLength: 14 },
    );
    fc.assert(
      fc.property(scraps, (parts) => {
        const text = parts.join('');
        const parsed = parse(text);
        let sound = true;
        try {
          JSON.parse(text);
        } catch {
          sound = false;
        }
        if (!sound) expect(parsed.ok).toBe(false);
        else if (!parsed.ok) expect(parsed.message).toMatch(/second time/);
      }),
      { numRuns: 2000 },
    );
  });

  test('is found out whenever a key stands twice in one object, at any depth', () => {
    const key = fc.string({ maxLength: 8 });
    fc.assert(
      fc.property(key, fc.nat(20), fc.jsonValue({ maxDepth: 2 }), (name, depth, value) => {
        const twice = `{${JSON.stringify(name)}:${JSON.stringify(value)},"other key":[":"],${JSON.stringify(name)}:1}`;
        const text = '[{"x":'.repeat(Math.floor(depth / 2)) + twice + '}]'.repeat(Math.floor(depth / 2));
        expect(messageOf(text)).toContain('for the second time');
      }),
    );
  });

  test('names the duplicated key, also when its second spelling is escaped', () => {
    expect(messageOf('{"quantity":1,"quantity":2}')).toContain('Line 1, column 15 has the key "quantity"');
    expect(messageOf('{"quantity":1,"\\u0071uantity":2}')).toContain('the key "quantity"');
  });

  test('may repeat a key in different objects and hold colons and quotes inside strings', () => {
    expect(parse('{"a":{"b":":\\"{"},"b":[{"a":"\\\\"},{"a":1}]}').ok).toBe(true);
  });

  test.each(['', ' ', '\n\t ', '\ufeff'])('is refused as empty when it is %j', (text) => {
    expect(messageOf(text)).toContain('empty');
  });

  test('is counted by itself: what came before it changes nothing', () => {
    const many = `{${Array.from({ length: 6000 }, (_, i) => `"k${i}":1`).join()}}`;
    for (let bodies = 0; bodies < 3; bodies++) expect(parse(many).ok).toBe(true);
    const outside = ':'.repeat(6000);
    const first = messageOf(outside);
    for (let bodies = 0; bodies < 3; bodies++) expect(messageOf(outside)).toBe(first);
  });

  test('may start with a byte order mark', () => {
    expect(parse('\ufeff{"a":1}')).toEqual({ ok: true, value: { a: 1 } });
  });

  test.each([[[0x22, 0xff, 0x22]], [[0x22, 0xc3, 0x22]], [[0x22, 0xed, 0xa0, 0x80, 0x22]], [[0x22, 0xc0, 0xaf, 0x22]]])(
    'is refused when it is not UTF-8: %j',
    (bytes) => {
      expect(parseJsonBody(Uint8Array.from(bytes))).toMatchObject({
        ok: false,
        message: expect.stringContaining('UTF-8'),
      });
    },
  );

  test('may hold the replacement character itself', () => {
    expect(parse('"\ufffd"')).toEqual({ ok: true, value: '\ufffd' });
  });

  test('may nest 32 levels, not 33', () => {
    expect(parse('['.repeat(32) + ']'.repeat(32)).ok).toBe(true);
    expect(messageOf('['.repeat(33) + ']'.repeat(33))).toContain('32 levels');
    expect(messageOf('{"a":'.repeat(100_000))).toContain('32 levels');
  });

  test('keeps __proto__ as a plain own field and pollutes nothing', () => {
    const parsed = parse('{"__proto__":{"polluted":true},"constructor":1}');
    if (!parsed.ok) throw new Error(parsed.message);
    expect(Object.keys(parsed.value as object)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(parsed.value)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('is parsed from a view into a larger buffer', () => {
    const whole = Buffer.from('xx{"a":1}yy');
    expect(parseJsonBody(new Uint8Array(whole.buffer, whole.byteOffset + 2, 7))).toEqual({ ok: true, value: { a: 1 } });
  });
});

describe('a refusal', () => {
  test.each(['NaN', '-NaN', 'Infinity', '-Infinity'])('explains a placeholder rendered as %s', (word) => {
    const message = messageOf(`{\n  "price": ${word}\n}`);
    expect(message).toContain(`Line 2, column 12 has a bare ${word}: a placeholder rendered as ${word}`);
    expect(message).toContain('leave the field out; put placeholders in double quotes');
  });

  test.each([
    ['{"a":1,}', 'Line 1, column 8 has a comma before }'],
    ['[1,]', 'column 4 has a comma before ]'],
    ["{'a':1}", 'column 2 has "\'" where a key in double quotes'],
    ['{"a":\'b\'}', 'single quote'],
    ['{"a" 1}', 'colon'],
    ['{"a":1 "b":2}', 'comma'],
    ['[1 2]', 'comma'],
    ['{"a":}', 'where a value must stand'],
    ['{"a":1', 'the end of the text'],
    ['{"a":"b', 'a string that never ends'],
    ['{"a":"b\nc"}', 'a line break or control character'],
    ['{"a":"\\x"}', 'unknown escape'],
    ['{"a":{{close}}}', 'placeholder that was not filled in: {{close}}. Check'],
    ['{"a":{{ whk_"', 'placeholder that was not filled in. Check'],
    ['{"a":buy}', 'a bare word'],
    ['{"a":01}', 'comma'],
    ['{} {}', 'follows the end'],
    ['buy BTCUSDT', 'a bare word'],
  ])('of %s says what is wrong', (text, words) => {
    expect(messageOf(text)).toContain(words);
  });

  test('does not repeat a key that lost its quotes', () => {
    const key = `whk_${'k'.repeat(43)}`;
    expect(messageOf(`{"apiKey":${key}}`)).not.toContain('kkk');
    expect(messageOf(`{"${key}":1,"${key}":1}`)).not.toContain('kkk');
  });
});
