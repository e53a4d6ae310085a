// Adding an exchange, tried on a copy of the product: how many files change, whether the compiler names each of them, and whether
// the new one then trades, on paper and at a venue.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startBybitVenue } from '../support/emulated-venues/bybit/bybit-venue.ts';
import { CopyOfTheProduct, FOURTH } from '../support/fourth-exchange.ts';
import { structureFaults } from '../support/structure-rules.ts';

/** The table of CONTRIBUTING.md, by whether a file or folder is new. */
function toldFiles(): { readonly added: readonly string[]; readonly changed: readonly string[] } {
  const page = readFileSync(new URL('../../CONTRIBUTING.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('\n## An exchange\n');
  const [own = ''] = section.split('\n## ');
  const rows = [...own.matchAll(/^\| `([^`]+)` \| ([^|]+) \|/gm)].map(([, path = '', word = '']) => ({
    path: path.replace('<name>', FOURTH),
    isNew: word === 'new',
  }));
  const paths = (isNew: boolean) => rows.filter((row) => row.isNew === isNew).map(({ path }) => path);
  return { added: paths(true).sort(), changed: paths(false).sort() };
}

test('an exchange is a row and its two folders, and two files that stand there change', async () => {
  const copy = new CopyOfTheProduct();
  copy.addRow();
  const faults = await copy.faults();
  expect(faults).toHaveLength(1);
  expect(faults[0]).toMatch(/^src\/composition\/venue-folders\.ts\(\d+,\d+\): error .*Property 'fourth' is missing/);

  copy.addFolders();
  expect(await copy.faults()).toEqual([]);
  expect(copy.changed()).toEqual(['src/composition/venue-folders.ts', 'src/exchanges/exchange.ts']);
  expect({ added: copy.added(), changed: copy.changed() }).toEqual(toldFiles());
  expect(copy.added()).toEqual([
    `src/adapters/market-data/${FOURTH}/`,
    `src/adapters/venues/${FOURTH}/`,
    `src/exchanges/${FOURTH}.ts`,
  ]);
  expect(structureFaults(new Map([...copy.tree].filter(([path]) => path.endsWith('.ts'))))).toEqual([]);

  expect(await copy.takeSignal()).toMatchObject({ tradeResult: { status: 'Filled', mode: 'paper' } });
  const venue = await startBybitVenue({ wallet: '10000' });
  try {
    venue.market.setPrice('BTCUSDT', '50000');
    const live = await copy.takeSignal({
      FOURTH_MODE: 'live',
      FOURTH_BASE_URL: venue.baseUrl,
      FOURTH_API_KEY: venue.credentials.apiKey,
      FOURTH_API_SECRET: venue.credentials.secret,
      CONFIRM_FIRST_LIVE_ORDER: 'no',
    });
    expect(live).toMatchObject({ tradeResult: { status: 'Filled', mode: 'live' } });
    expect(venue.market.orders).toHaveLength(1);
  } finally {
    await venue.close();
  }
});
