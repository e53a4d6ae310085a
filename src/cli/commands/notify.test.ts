// `notify` on the command line: which route it calls, and what it shows.

import { describe, expect, test } from 'vitest';
import { ok, run } from '../testing/fake-host.ts';

const NTFY = {
  ...{
    channel: 'ntfy',
    notices: ['trades', 'alarms'],
    state: 'refused',
    waiting: 3,
    oldestWaitingAt: 1_750_000_000_000,
  },
  ...{ lastDeliveredAt: null, lastFailureAt: 1_750_000_001_000, lastFailure: 'it answered 403. Look at NTFY_TOKEN' },
};

describe('notify', () => {
  test('shows each channel and how it is doing', async () => {
    const { code, out, calls } = await run(['notify'], ok([NTFY]));
    expect([code, calls]).toEqual([0, [{ method: 'GET', path: '/admin/notifiers' }]]);
    expect(out).toMatch(/ntfy\s+trades, alarms\s+refused\s+3\s+.*it answered 403\. Look at NTFY_TOKEN/);
  });

  test('says what to set where there is no channel', async () => {
    expect((await run(['notify'], ok([]))).out).toContain('No channel is set; set TELEGRAM_BOT_TOKEN');
  });

  test('test ends with 1 when one of them did not get it', async () => {
    const answer = [
      { channel: 'ntfy', delivered: true, error: null },
      { channel: 'mail', delivered: false, error: 'the mail server answered 550' },
    ];
    const { code, err, calls } = await run(['notify', 'test'], ok(answer));
    expect([code, calls]).toEqual([1, [{ method: 'POST', path: '/admin/notifiers/test' }]]);
    expect(err).toContain('ntfy: delivered\nmail: NOT delivered: the mail server answered 550');
    expect((await run(['notify', 'test'], ok(answer.slice(0, 1)))).code).toBe(0);
  });

  test('another word is a wrong command line', async () => {
    expect((await run(['notify', 'everybody'])).code).toBe(2);
  });
});
