// What the fields of a script may hold, at every boundary.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type DraftText,
  isContentTooLarge,
  isScriptId,
  MAX_CONTENT_BYTES,
  MAX_DESCRIPTION_CHARS,
  MAX_NAME_CHARS,
  MAX_PATH_CHARS,
  textFaults,
} from './script.ts';

const fieldsAtFault = (changes: Partial<DraftText>): string[] =>
  textFaults({ name: 'Cross', content: '', ...changes }).map(({ field }) => field);

describe('an id', () => {
  test.each(['a', '7', 'rsi-2.v1_x', 'A'.repeat(64), '0190163d-8694-739b-aea5-966c26f8ad91', 'constructor'])(
    '%s may be chosen',
    (id) => expect(isScriptId(id)).toBe(true),
  );

  test.each(['', 'A'.repeat(65), '_draft', '.', '..', '-x', 'a/b', 'a b', 'ä', 'a\n', '\na', 'a%2fb', '__proto__'])(
    '%j may not',
    (id) => expect(isScriptId(id)).toBe(false),
  );

  test('needs no escaping in an address, whatever it is', () => {
    const almost = fc.stringMatching(/^[A-Za-z0-9._~ /%-]{0,66}$/);
    fc.assert(fc.property(almost, (id) => !isScriptId(id) || encodeURIComponent(id) === id));
  });
});

describe('a name', () => {
  test.each(['x', 'x'.repeat(MAX_NAME_CHARS), ' Größe 🚂 ', undefined])('%j is kept', (name) =>
    expect(fieldsAtFault({ name })).toEqual([]),
  );

  test.each(['', '   ', 'x'.repeat(MAX_NAME_CHARS + 1), 'a\nb', 'a\tb', '\u0085'])('%j is refused', (name) =>
    expect(fieldsAtFault({ name })).toEqual(['name']),
  );
});

describe('a description', () => {
  test('may be empty and have lines, up to its limit', () => {
    for (const description of ['', 'a\r\n\tb', 'x'.repeat(MAX_DESCRIPTION_CHARS)])
      expect(fieldsAtFault({ description })).toEqual([]);
    expect(fieldsAtFault({ description: 'x'.repeat(MAX_DESCRIPTION_CHARS + 1) })).toEqual(['description']);
  });
});

describe('a path', () => {
  test.each(['a.pine', 'a/b c/ä.pine', '/a/b', '...', 'a..b/.c', 'x'.repeat(MAX_PATH_CHARS)])('%j is kept', (path) =>
    expect(fieldsAtFault({ path })).toEqual([]),
  );

  test.each(['', '.', '..', '../a', 'a/..', 'a/../b', './a', '/..', 'a\\b', 'a\nb', 'x'.repeat(MAX_PATH_CHARS + 1)])(
    '%j is refused',
    (path) => expect(fieldsAtFault({ path })).toEqual(['path']),
  );
});

describe('what would not come back as it was', () => {
  test.each(['a\0b', '\ud83d', 'x\udc00y'])('%j is refused in the text and the description', (text) =>
    expect(fieldsAtFault({ content: text, description: text })).toEqual(['description', 'content']),
  );

  test('is refused in every field, and each field is named once for it', () => {
    for (const bad of ['\ud800', '\0'])
      expect(fieldsAtFault({ name: bad, description: bad, path: bad, content: bad })).toEqual([
        'name',
        'description',
        'path',
        'content',
      ]);
  });

  test('is told with the remedy', () => {
    expect(textFaults({ name: '', content: '\0' })).toEqual([
      { field: 'name', reason: 'name has 1 to 200 characters, not only blanks and no control characters; correct it.' },
      {
        field: 'content',
        reason:
          'content holds a NUL or half of a character (a lone surrogate), which cannot be kept exactly; remove it.',
      },
    ]);
  });

  test('is all that is refused: any other text survives UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (content) => {
        const kept = Buffer.from(content).toString() === content && !content.includes('\0');
        expect(fieldsAtFault({ content })).toEqual(kept ? [] : ['content']);
      }),
    );
  });
});

describe('the size of a content', () => {
  test('is counted in bytes of UTF-8, to the byte', () => {
    expect(isContentTooLarge('')).toBe(false);
    expect(isContentTooLarge('x'.repeat(MAX_CONTENT_BYTES))).toBe(false);
    expect(isContentTooLarge('x'.repeat(MAX_CONTENT_BYTES + 1))).toBe(true);
    expect(isContentTooLarge('🚂'.repeat(MAX_CONTENT_BYTES / 4))).toBe(false);
    expect(isContentTooLarge(`${'🚂'.repeat(MAX_CONTENT_BYTES / 4)}x`)).toBe(true);
    expect(isContentTooLarge('é'.repeat(MAX_CONTENT_BYTES / 2 + 1))).toBe(true);
  });
});
