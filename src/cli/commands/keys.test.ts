// `signalbox keys` over its route: the table, and a new key that is shown once.

import { expect, it } from 'vitest';
import { ok, run } from '../testing/fake-host.ts';

const AT_MS = Date.UTC(2026, 2, 1, 14, 5, 9);
const AT = '2026-03-01 14:05:09 UTC';

it('keys in an aligned table', async () => {
  const { out } = await run(
    ['keys'],
    ok([
      {
        keyId: 'aaaaaaaaaaaa',
        label: 'chart',
        createdAt: AT_MS,
        exchanges: ['binance', 'mexc'],
        symbols: null,
        routes: [
          { account: 'main', multiplier: 1 },
          { account: 'scalp', multiplier: 0.5 },
        ],
        static: false,
      },
      { keyId: 'bbbbbbbbbbbb', label: 'static-1', createdAt: new Date(AT_MS).toISOString(), static: true },
      { keyId: 'cccccccccccc', label: 'old', createdAt: AT_MS, revokedAt: AT_MS, static: false },
    ]),
  );
  expect(out.split('\n')).toEqual([
    'key id        label     state                            exchanges      symbols  accounts         created                  rotated',
    `aaaaaaaaaaaa  chart     active                           binance, mexc  all      main, scalp=0.5  ${AT}  -`,
    `bbbbbbbbbbbb  static-1  active, from settings            all            all                       ${AT}  -`,
    `cccccccccccc  old       revoked ${AT}  all            all                       ${AT}  -`,
  ]);
});

it.each([[['keys', 'create', 'a']], [['keys', 'rotate', 'abc']]])('%j prints the new key once', async (argv) => {
  const { out } = await run(argv, {
    answer: { status: 201, body: { success: true, result: { keyId: 'abc', label: 'a', apiKey: 'whk_new' } } },
  });
  expect(out).toContain('key abc (a)');
  expect(out.match(/whk_new/g)).toHaveLength(1);
});
