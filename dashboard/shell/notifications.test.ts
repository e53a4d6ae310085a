// Which events are worth a notification, and how a browser is asked for one.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isNotable, notify } from './notifications.ts';

test.each([
  [{ kind: 'trade', step: 'filled' }, 'fills'],
  [{ kind: 'trade', step: 'partially_filled' }, 'fills'],
  [{ kind: 'trade', step: 'sending' }, undefined],
  [{ kind: 'alarm', state: 'raised' }, 'alarms'],
  [{ kind: 'alarm', state: 'over' }, undefined],
  [{ kind: 'refusal' }, undefined],
] as const)('%j is told to who has chosen %s', (event, told) => {
  for (const fills of [true, false])
    for (const alarms of [true, false])
      expect(isNotable(event, { fills, alarms })).toBe((fills && told === 'fills') || (alarms && told === 'alarms'));
});

const EVENT = { text: 'Bought 1 BTCUSDT', cursor: 'c7' };
const SHOWN = ['Signalbox', { body: 'Bought 1 BTCUSDT', tag: 'c7' }];

let shown: { readonly by: string; readonly what: unknown }[] = [];
beforeEach(() => {
  shown = [];
});
afterEach(() => vi.unstubAllGlobals());

/** The page's own way; phones have none. */
const stubNotification = (isPhone: boolean) =>
  vi.stubGlobal(
    'Notification',
    class {
      constructor(...what: unknown[]) {
        if (isPhone)
          throw new TypeError('Illegal constructor. Use ServiceWorkerRegistration.showNotification() instead.');
        shown.push({ by: 'page', what });
      }
    },
  );

const stubWorker = (registration: object | undefined) =>
  vi.stubGlobal('navigator', { serviceWorker: { getRegistration: async () => registration } });

const worker = { active: {}, showNotification: async (...what: unknown[]) => void shown.push({ by: 'worker', what }) };

test('a phone shows it by the service worker', async () => {
  stubNotification(true);
  stubWorker(worker);
  await notify(EVENT);
  expect(shown).toEqual([{ by: 'worker', what: SHOWN }]);
});

test.each([
  ['there is no worker', { serviceWorker: { getRegistration: async () => undefined } }],
  ['the worker is not active yet', { serviceWorker: { getRegistration: async () => ({ ...worker, active: null }) } }],
  ['the page is neither of this machine nor over TLS', {}],
  [
    'the worker refuses',
    {
      serviceWorker: {
        getRegistration: async () => ({ ...worker, showNotification: () => Promise.reject(new TypeError('no')) }),
      },
    },
  ],
])('the page shows it itself where %s', async (_, navigator) => {
  stubNotification(false);
  vi.stubGlobal('navigator', navigator);
  await notify(EVENT);
  expect(shown).toEqual([{ by: 'page', what: SHOWN }]);
});

test('a browser that has no way at all is no error: the page shows the event all the same', async () => {
  stubNotification(true);
  stubWorker(undefined);
  await expect(notify(EVENT)).resolves.toBeUndefined();
  expect(shown).toEqual([]);
});
