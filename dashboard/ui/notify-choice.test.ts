// What this browser tells by itself: the choice is kept, and nothing is chosen that the browser does not allow.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  chooseNotifications,
  isNotifying,
  NOTHING,
  notifiedOf,
  notifyAllowance,
  notifyChoice,
  watchNotifyChoice,
} from './notify-choice.ts';

const ALARMS = { fills: false, alarms: true };

let asked = 0;
/** `answer`: what the reader says when asked; without `permission` the browser has no notifications. */
function stubBrowser({
  permission,
  answer = permission,
  isSecure = true,
}: {
  permission?: string;
  answer?: string;
  isSecure?: boolean;
}): void {
  vi.stubGlobal('isSecureContext', isSecure);
  const own = {
    permission,
    async requestPermission() {
      asked++;
      own.permission = answer;
      return answer;
    },
  };
  vi.stubGlobal('Notification', permission === undefined ? undefined : own);
}

beforeEach(() => {
  asked = 0;
  const kept = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  });
  vi.stubGlobal('addEventListener', () => {});
  vi.stubGlobal('removeEventListener', () => {});
});
afterEach(() => vi.unstubAllGlobals());

test('one of the two is chosen once the reader has said yes, and is kept until it is taken back', async () => {
  stubBrowser({ permission: 'default', answer: 'granted' });
  expect(isNotifying()).toBe(false);
  expect(await chooseNotifications(ALARMS)).toBe(true);
  expect([notifiedOf(), isNotifying()]).toEqual([ALARMS, true]);
  expect(await chooseNotifications({ fills: true, alarms: true })).toBe(true);
  expect(notifiedOf()).toEqual({ fills: true, alarms: true });
  // The browser is asked once.
  expect(asked).toBe(1);
  expect(await chooseNotifications(NOTHING)).toBe(true);
  expect([notifyChoice(), isNotifying()]).toEqual([NOTHING, false]);
});

test.each([
  ['says no', { permission: 'default', answer: 'denied' }, 'denied', 1],
  ['says nothing', { permission: 'default', answer: 'default' }, 'default', 1],
  ['has said no before', { permission: 'denied' }, 'denied', 0],
  ['has a browser without any', {}, 'impossible', 0],
  ['came without TLS from another machine', { permission: 'denied', isSecure: false }, 'impossible', 0],
])('nothing is chosen where the reader %s, and whoever shows it is told', async (_, browser, allowance, times) => {
  stubBrowser(browser);
  let told = 0;
  const stop = watchNotifyChoice(() => told++);
  expect(await chooseNotifications(ALARMS)).toBe(false);
  expect([notifyChoice(), notifyAllowance(), asked, told]).toEqual([NOTHING, allowance, times, 1]);
  stop();
  await chooseNotifications(NOTHING);
  expect(told).toBe(1);
});

test('what was chosen is not told while the browser no longer allows it', async () => {
  stubBrowser({ permission: 'granted' });
  await chooseNotifications(ALARMS);
  stubBrowser({ permission: 'denied' });
  expect([notifiedOf(), isNotifying()]).toEqual([NOTHING, false]);
  stubBrowser({ permission: 'granted' });
  expect(notifiedOf()).toEqual(ALARMS);
});
