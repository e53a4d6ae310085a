// Which lines of a mail are the sender's own, with the quotes and signatures of the usual mail programs.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ownLines, plainLine } from './mail-text.ts';

const own = (text: string): string =>
  ownLines(text)
    .map(({ plain }) => plain)
    .filter((line) => line !== '')
    .join('|');
const OLD = 'LONG 9 BTCUSDT on binance';

describe('own lines', () => {
  test('are kept, whatever ends a line', () => {
    expect(own('a\nb\r\nc\rd\u2028e\u2029f\u0085g')).toBe('a|b|c|d|e|f|g');
  });

  test('have single blanks and no signs that nobody sees', () => {
    expect(plainLine('\uFEFF LONG\u00a00.01\t\u200bBTC\u00adUSDT\u3000on  binance\u2060 ')).toBe(
      'LONG 0.01 BTCUSDT on binance',
    );
  });

  test('below marked quotes are kept', () => {
    expect(own(`> ${OLD}\n> more\nclose long BTCUSDT 1 binance`)).toBe('close long BTCUSDT 1 binance');
    expect(own(`On Monday Ann wrote:\n> ${OLD}\n\nmine`)).toBe('mine');
  });
});

describe('not own', () => {
  test.each([
    ['marked quotes', `mine\n> ${OLD}\n>> ${OLD}\n>${OLD}`],
    ['a signature', `mine\n-- \n${OLD}`],
    ['a signature without its blank', `mine\n--\n${OLD}`],
    ['an Outlook quote', `mine\n-----Original Message-----\n${OLD}`],
    ['a German Outlook quote', `mine\n-----Ursprüngliche Nachricht-----\n${OLD}`],
    ['a quoted head', `mine\nFrom: Ann <ann@example.com>\nSent: Monday\nTo: Bob\nSubject: x\n\n${OLD}`],
    ['a quoted head in bold', `mine\n*From:* Ann\n*Date:* Monday\n${OLD}`],
    ['a German quoted head', `mine\nVon: Ann\nGesendet: Montag\nAn: Bob\n\n${OLD}`],
    ['a French quoted head', `mine\nDe : Ann\nEnvoyé : lundi\n${OLD}`],
    ['a forwarded mail', `mine\n---------- Forwarded message ---------\nFrom: Ann\n${OLD}`],
    ['an Apple forward', `mine\nBegin forwarded message:\n${OLD}`],
    ['an unmarked quote', `mine\nOn Mon, 3 Nov 2025 at 10:00, Ann <ann@example.com> wrote:\n\n${OLD}`],
    ['a German unmarked quote', `mine\nAm 03.11.2025 um 10:00 schrieb Ann:\n${OLD}`],
    ['a French unmarked quote', `mine\nLe lun. 3 nov. 2025, Ann a écrit :\n${OLD}`],
    ['a Spanish unmarked quote', `mine\nEl lun, 3 nov 2025, Ann escribió:\n${OLD}`],
  ])('is %s', (_, text) => {
    expect(own(text)).toBe('mine');
  });
});

test('any text of a mail is cut without an error, and never grows', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
      expect(
        ownLines(text)
          .map(({ plain }) => plain)
          .join('\n').length,
      ).toBeLessThanOrEqual(text.length);
    }),
    { numRuns: 500 },
  );
});
