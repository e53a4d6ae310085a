// Readiness as a stranger sees it: what is wrong with which file, but not where the owner keeps it.

import { expect, test } from 'vitest';
import { createFixture } from '../../http/fixture.ts';
import { createInternalGate } from '../../http/internal-auth.ts';
import { StorageError } from '../../trading/storage-error.ts';
import { mountOperations } from './index.ts';

test('a failed check names the file and the remedy without the folder', async () => {
  const { app, metrics } = createFixture();
  mountOperations(app, {
    version: '1.2.3',
    environment: 'staging',
    mode: 'paper',
    prices: 'simulated',
    websocket: true,
    metrics,
    gate: createInternalGate({ token: undefined }),
    openApi: () => ({}),
    probes: {
      journal: () => Promise.reject(new StorageError('the disk that holds /home/owner/my data/signalbox.db is full')),
      settings: () => undefined,
    },
    warnings: () => [],
    settings: () => [],
  });
  const answer = await app.request('/ready', {}, { peer: '198.51.100.1' });
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({
    checks: { journal: 'the disk that holds signalbox.db is full', settings: 'ok' },
  });
});
