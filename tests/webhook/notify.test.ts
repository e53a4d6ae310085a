// notify: the outcome goes to a chat, never delays the trade beyond its budget and never fails it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NotifierError } from '../../src/trading/notifications/notifier.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { timed } from '../support/lived-time.ts';
import { createScriptedVenue } from '../support/scripted-venue.ts';
import { eventually, expectFilled, freshGateway } from './answers.ts';

const kindsOf = async (gateway: TestGateway, requestId: string): Promise<string[]> =>
  (await gateway.trade(requestId)).events.map((event: { kind: string }) => event.kind);

describe('notify', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await openGateway();
  });
  afterAll(() => gateway.close());

  it('that is absent sends nothing, and notificationResult is null', async () => {
    const before = gateway.notices.length;
    expect((await gateway.send()).body.notificationResult).toBe(null);
    expect(gateway.notices).toHaveLength(before);
  });

  it('answers success and the number of the message', async () => {
    const { body } = await gateway.send({ notify: { chatId: '42' } });
    expect(body.notificationResult).toEqual({ success: true, messageId: gateway.notices.length });
  });

  it('without a chat leaves the choice to the notifier, and tells the outcome in words', async () => {
    await gateway.send({ notify: {} });
    const notice = gateway.notices.at(-1);
    expect(notice?.chatId).toBeUndefined();
    expect(notice?.parseMode).toBe('Plain');
    expect(notice?.text).toMatch(/^LONG 0\.01 BTCUSDT on binance \(paper\): Filled 0\.01 at [\d.]+$/);
  });

  it.each(['Plain', 'HTML', 'Markdown', 'MarkdownV2'])(
    'hands message and parse mode %s on as they are',
    async (parseMode) => {
      const notify = { chatId: '-100', message: '<b>*x*</b> {{y}} \\_', parseMode };
      await gateway.send({ notify });
      expect(gateway.notices.at(-1)).toEqual({ chatId: '-100', text: notify.message, parseMode });
    },
  );

  it('has Plain as its parse mode unless it says otherwise', async () => {
    await gateway.send({ notify: { message: 'hello' } });
    expect(gateway.notices.at(-1)).toEqual({ chatId: undefined, text: 'hello', parseMode: 'Plain' });
  });

  it('never carries a key to the chat, wherever the template put it', async () => {
    await gateway.send({ notify: { message: `sent with ${gateway.apiKey}!` } });
    expect(gateway.notices.at(-1)?.text).toBe('sent with whk_***!');
  });

  it('tells a refusal of the venue too, and its result is in the 422', async () => {
    const { status, body } = await gateway.send({ action: 'CLOSE_SHORT', notify: {} });
    expect(status).toBe(422);
    expect(body.notificationResult.success).toBe(true);
    expect(gateway.notices.at(-1)?.text).toContain('Rejected. there is no short position');
  });

  it('is not sent for a signal that was never accepted', async () => {
    const before = gateway.notices.length;
    await gateway.send({ apiKey: 'wrong', notify: {} });
    await gateway.send({ quantity: 0, notify: {} });
    expect(gateway.notices).toHaveLength(before);
  });

  it('in async mode leaves when the trade is done', async () => {
    await gateway.controls.set('queueMode', 'async', 'test');
    const { body } = await gateway.send({ notify: { message: 'later' } });
    expect(body).not.toHaveProperty('notificationResult');
    await expect.poll(() => gateway.notices.at(-1)?.text).toBe('later');
    await gateway.controls.set('queueMode', 'failover', 'test');
  });
});

describe.concurrent('a notifier', () => {
  it('that fails does not fail the trade, and is tried again until it delivers', async () => {
    let failures = 1;
    const notify = async () => {
      if (failures-- > 0) throw new NotifierError('chat is down', true);
      return { messageId: 7 };
    };
    const gateway = await freshGateway({ notify });
    const sent = await gateway.send({ notify: { message: 'x' } });
    expectFilled(sent);
    expect(sent.body.notificationResult).toEqual({ success: false, messageId: null });
    await eventually(
      () => kindsOf(gateway, sent.body.requestId),
      (kinds) => kinds.includes('notified'),
    );
    expect(gateway.notices).toHaveLength(2);
  });

  it('that hangs holds the answer for one second and no longer', async () => {
    let deliver: (result: { messageId: number }) => void = () => {};
    const notify = () =>
      new Promise<{ messageId: number }>((resolve) => {
        deliver = resolve;
      });
    const gateway = await freshGateway({ notify });
    const { result: sent, elapsedMs, livedMs } = await timed(() => gateway.send({ notify: {} }));
    expectFilled(sent);
    expect(sent.body.notificationResult).toEqual({ success: false, messageId: null });
    expect(elapsedMs).toBeGreaterThan(950);
    expect(livedMs).toBeLessThan(1500);
    deliver({ messageId: 9 });
    await eventually(
      () => kindsOf(gateway, sent.body.requestId),
      (kinds) => kinds.includes('notified'),
    );
    expect(gateway.notices).toHaveLength(1);
  });

  it('that hangs does not hold up the next trade of the same market', async () => {
    const gateway = await freshGateway({ notify: () => new Promise(() => {}) });
    const first = gateway.send({ notify: {} });
    const { result: second, livedMs } = await timed(() => gateway.send());
    expectFilled(second);
    expect(livedMs).toBeLessThan(900);
    await first;
  });

  it('that refuses for good is not asked again', async () => {
    const notify = () => Promise.reject(new NotifierError('chat is not allowed', false));
    const gateway = await freshGateway({ notify });
    const { body } = await gateway.send({ notify: {} });
    expect(body.notificationResult).toEqual({ success: false, messageId: null });
    const events = (await gateway.trade(body.requestId)).events;
    expect(events.at(-1)).toMatchObject({ kind: 'notification-abandoned', detail: 'chat is not allowed' });
    expect(gateway.notices).toHaveLength(1);
  });

  it('never sees a queued trade before its outcome', async () => {
    const venue = createScriptedVenue();
    const gateway = await freshGateway({ venues: [venue] });
    venue.down = 'not-sent';
    const { body } = await gateway.send({ notify: {} });
    expect(body.notificationResult).toBe(null);
    expect(gateway.notices).toEqual([]);
    venue.down = undefined;
    await gateway.until(body.requestId, 'Filled');
    await eventually(
      () => gateway.notices.length,
      (count) => count === 1,
    );
  });

  it('is told names and words in the order in which they are written', async () => {
    const gateway = await freshGateway();
    const turned = 'a\u202egnp.exe \u2067b\u2069';
    for (const notify of [{}, { message: '{{strategy}}, {{comment}}, {{error}}' }])
      await gateway.send({ action: 'CLOSE_LONG', strategy: turned, comment: turned, notify });
    expect(gateway.notices).toHaveLength(2);
    for (const { text } of gateway.notices) {
      expect(text).toContain('agnp.exe b');
      expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    }
  });

  it('with a text of its own is told once, without one at every change', async () => {
    const venue = createScriptedVenue();
    const gateway = await freshGateway({ venues: [venue] });
    venue.script.push({ rest: true }, { rest: true });
    const own = await gateway.send({ price: 90, notify: { message: 'mine' } });
    const plain = await gateway.send({ price: 90, notify: {} });
    for (const order of [...venue.sent]) venue.fill(order.clientOrderId);
    await gateway.until(own.body.requestId, 'Filled');
    await gateway.until(plain.body.requestId, 'Filled');
    await eventually(
      () => gateway.notices.length,
      (count) => count === 3,
    );
    expect(gateway.notices.map(({ text }) => text.replace(/.*: /, ''))).toEqual([
      'mine',
      'Submitted',
      'Filled 0.01 at 100',
    ]);
  });
});
