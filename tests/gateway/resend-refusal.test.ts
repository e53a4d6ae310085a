// A refused signal is sent again through the same gates after its cause is mended: once, under its key, while it is young.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OWNER } from '../support/bot-api-server.ts';
import type { Sent, TestGateway } from '../support/gateway.ts';
import { createScriptedVenue } from '../support/scripted-venue.ts';
import { type Chat, openChat } from '../telegram/open-chat.ts';
import { ask, messagesIn, openBot, press } from '../telegram/talk.ts';
import {
  eventually,
  expectDuplicateOf,
  expectFilled,
  expectRefusal,
  freshGateway,
  KEY_1,
  tradeCount,
} from '../webhook/answers.ts';

const resend = (gateway: TestGateway, id: string): Promise<Sent> => gateway.request('POST', `/refusals/${id}/resend`);
const turned = (gateway: TestGateway, active: boolean): Promise<void> =>
  gateway.controls.set('killSwitch', { active, scope: 'all' }, 'test');
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function refusedBySwitch(gateway: TestGateway, send: () => Promise<Sent>): Promise<string> {
  await turned(gateway, true);
  const sent = await send();
  expect(sent.body.code).toBe('KILL_SWITCH_ACTIVE');
  await turned(gateway, false);
  await settled();
  return sent.body.requestId;
}

const alertBody = (gateway: TestGateway, more: object = {}) => ({
  ...{ apiKey: gateway.apiKey, exchange: 'BINANCE', ticker: 'BTCUSDT.P', action: 'buy', contracts: '0.02' },
  ...{ marketPosition: 'long', comment: 'from the chart', strategy: 'Trend X', stopLoss: '1000.5', ...more },
});

describe('a refused signal', () => {
  it('trades with all it asked for, under its key and by its door, and the refusal says as what', async () => {
    const gateway = await freshGateway();
    const id = await refusedBySwitch(gateway, () =>
      gateway.request('POST', '/webhook/tradingview', alertBody(gateway, { alertId: 'A 1' })),
    );
    const [before] = (await gateway.request('GET', '/refusals')).body.result;
    expect(before).toMatchObject({ id, resendable: true, resentAs: null, alertId: 'A 1' });
    const sent = await resend(gateway, id);
    expectFilled(sent);
    expect(await gateway.trade(sent.body.requestId)).toMatchObject({
      ...{ source: 'tradingview', keyLabel: gateway.keys.list()[0]?.label, action: 'LONG', quantity: 0.02 },
      ...{ comment: 'from the chart', strategy: 'Trend X', alertId: 'A 1', symbol: 'BTCUSDT.P', market: 'BTCUSDT' },
    });
    const [after] = (await gateway.request('GET', '/refusals')).body.result;
    expect(after).toMatchObject({ id, resentAs: sent.body.requestId });
    expectDuplicateOf(await resend(gateway, id), sent);
    expectDuplicateOf(await gateway.send({ alertId: 'A 1' }), sent);
  });

  it.each([
    ['/webhook', (gateway: TestGateway) => gateway.signal()],
    ['/webhook', (gateway: TestGateway) => gateway.signal({ idempotencyKey: KEY_1 })],
    ['/webhook/tradingview', (gateway: TestGateway) => alertBody(gateway)],
    ['/email-signal', () => ({ text: 'LONG 0.01 BTCUSDT on binance' })],
    ['/email-signal', (gateway: TestGateway) => ({ text: `apiKey: ${gateway.apiKey}\nLONG 0.01 BTCUSDT on binance` })],
  ])('of %s, sent again twenty times at one instant, trades once', async (path, bodyOf) => {
    const gateway = await freshGateway();
    const id = await refusedBySwitch(gateway, () => gateway.request('POST', path, bodyOf(gateway)));
    const all = await Promise.all(Array.from({ length: 20 }, () => resend(gateway, id)));
    const [winner, ...others] = all.sort((a, b) => a.status - b.status);
    expect(winner?.status).toBeLessThan(300);
    for (const other of others) expectDuplicateOf(other, winner as Sent);
    expect(await tradeCount(gateway)).toBe(1);
  });

  it('that its sender has sent again meanwhile does not trade beside it', async () => {
    const gateway = await freshGateway();
    const id = await refusedBySwitch(gateway, () => gateway.send());
    const retried = await gateway.send();
    expectFilled(retried);
    expectDuplicateOf(await resend(gateway, id), retried);
    expect(await tradeCount(gateway)).toBe(1);
  });

  it('that was sent again is a duplicate when its sender sends it again within twenty seconds', async () => {
    const gateway = await freshGateway();
    const id = await refusedBySwitch(gateway, () => gateway.send());
    const sent = await resend(gateway, id);
    expectFilled(sent);
    expectDuplicateOf(await gateway.send(), sent);
    gateway.clock.offsetMs = 21_000;
    expectFilled(await gateway.send());
  });

  it('is too old after SIGNAL_MAX_AGE_S', async () => {
    const gateway = await freshGateway({ signalMaxAgeMs: 60_000 });
    const id = await refusedBySwitch(gateway, () => gateway.send());
    gateway.clock.offsetMs = 61_000;
    const sent = await resend(gateway, id);
    expectRefusal(sent, 'STALE_SIGNAL');
    expect(sent.body.error).toContain('SIGNAL_MAX_AGE_S');
    gateway.clock.offsetMs = 55_000;
    expectFilled(await resend(gateway, id));
  });

  it('meets every gate again: while its cause stands it is refused again, and may be sent again after that', async () => {
    const venue = createScriptedVenue('binance');
    const gateway = await freshGateway({ venues: [venue] });
    venue.script.push({ fail: 'rejected' }, { fail: 'rejected' });
    const { body } = await gateway.send();
    expect(body.code).toBe('ORDER_REJECTED');
    await settled();
    const id = body.requestId;
    expectRefusal(await resend(gateway, id), 'ORDER_REJECTED', 'tradeResult', 'notificationResult');
    await turned(gateway, true);
    expectRefusal(await resend(gateway, id), 'KILL_SWITCH_ACTIVE');
    await turned(gateway, false);
    expectFilled(await resend(gateway, id));
  });

  it('whose order may be at the venue is never sent again', async () => {
    const venue = createScriptedVenue('binance');
    const gateway = await freshGateway({ venues: [venue], signalMaxAgeMs: 600_000 });
    const { body } = await gateway.send({ action: 'CLOSE_LONG' });
    await settled();
    expect(body.code).toBe('ORDER_REJECTED');
    venue.script.push({ fail: 'unknown', taken: true });
    await gateway.data.journal.record({
      seq: 1,
      atMs: Date.now(),
      state: 'unknown',
      event: { kind: 'unknown' },
      executedQuantity: 0n as never,
      fills: [],
    });
    const sent = await resend(gateway, body.requestId);
    expectRefusal(sent, 'NOT_RESENDABLE');
    expect(sent.body.error).toContain(`/trades/${body.requestId}`);
    expect(venue.sent).toEqual([]);
  });

  it('of a revoked key, of no key, that could not be read, or that nobody knows is not sent', async () => {
    const gateway = await freshGateway();
    const { apiKey, key } = await gateway.keys.create({ label: 'short-lived' });
    const id = await refusedBySwitch(gateway, () => gateway.send({ apiKey }));
    await gateway.keys.revoke(key.keyId);
    const revoked = await resend(gateway, id);
    expectRefusal(revoked, 'NOT_RESENDABLE');
    expect(revoked.body.error).toContain('revoked');
    for (const fields of [{ quantity: 'x' }, { apiKey: 'unknown' }]) {
      const { body } = await gateway.send(fields);
      await settled();
      expectRefusal(await resend(gateway, body.requestId), 'NOT_RESENDABLE');
    }
    expectRefusal(await resend(gateway, KEY_1), 'REFUSAL_NOT_FOUND');
    expect(await tradeCount(gateway)).toBe(0);
  });

  it('leaves no key on the disk', async () => {
    const gateway = await freshGateway();
    await refusedBySwitch(gateway, () => gateway.request('POST', '/webhook/tradingview', alertBody(gateway)));
    await gateway.refusals.find('x');
    for (const file of readdirSync(gateway.dataDir).filter((name) => name.startsWith('signalbox.db')))
      expect(readFileSync(join(gateway.dataDir, file)).includes(gateway.apiKey)).toBe(false);
  });
});

it('without a running Signalbox nothing is sent', async () => {
  const gateway = await freshGateway({ isStopped: true });
  expectRefusal(await resend(gateway, KEY_1), 'NOT_TRADING');
});

describe('in the owner’s chat', () => {
  it('/refusals lists them, /resend asks first and sends the last one, or the one that is named', async () => {
    const chat = await openBot();
    const { gateway } = chat;
    expect((await ask(chat, '/refusals')).text).toBe('Refused signals (UTC)\nNone.');
    expect((await ask(chat, '/resend')).text).toContain('No such refusal');
    expect((await ask(chat, '/resend a b')).text).toContain('Use /resend');
    const id = await refusedBySwitch(gateway, () => gateway.send());
    expect((await ask(chat, '/refusals')).text).toContain(id);
    const question = await ask(chat, '/resend');
    expect(question.text).toContain('LONG BTCUSDT');
    await press(chat, question, 'No');
    expect(await tradeCount(gateway)).toBe(0);
    const { shown } = await press(chat, await ask(chat, `/resend ${id}`), 'Yes');
    expect(shown?.text).toMatch(/^Sent again: Filled/);
    const again = await press(chat, await ask(chat, '/resend'), 'Yes');
    expect(again.shown?.text).toContain('NOT traded: a signal with this idempotencyKey was already accepted');
    expect((await ask(chat, '/refusals')).text).toContain('sent again as');
    expect(await tradeCount(gateway)).toBe(1);
  });

  const told = (chat: Chat) => chat.botApi.messages.filter(({ text }) => text.startsWith('Refused:'));
  const pressAgain = async (chat: Chat, id: string) => {
    const questions = () => messagesIn(chat, OWNER).filter(({ text }) => text.startsWith('Really send it again?'));
    const { messageId } = told(chat)[0] as { messageId: number };
    chat.botApi.press(`again:${id}`, { chatId: OWNER, messageId });
    await eventually(
      () => questions().length,
      (open) => open === 1,
    );
    const [question] = questions();
    if (!question) throw new Error('no question');
    return { ...question, chatId: OWNER };
  };

  it('a refused signal is told with a button that asks first and sends it again', async () => {
    const chat = await openChat({ listen: true });
    const { gateway } = chat;
    const id = await refusedBySwitch(gateway, () => gateway.send());
    await eventually(
      () => told(chat).length,
      (count) => count === 1,
    );
    const [notice] = told(chat);
    expect(notice?.chatId).toBe(String(OWNER));
    expect(notice?.text).toMatch(
      /^Refused: LONG BTCUSDT of test-0 at \/webhook: trading is disabled .*\(KILL_SWITCH_ACTIVE\)$/,
    );
    expect(notice?.buttons).toMatchObject([{ text: 'Send again', callback_data: `again:${id}` }]);
    const question = await pressAgain(chat, id);
    expect(question.text).toContain('Really send it again?');
    expect(await tradeCount(gateway)).toBe(0);
    const { shown } = await press(chat, question, 'Yes');
    expect(shown?.text).toMatch(/^Sent again: Filled/);
    const second = await press(chat, await pressAgain(chat, id), 'Yes');
    expect(second.shown?.text).toContain('NOT traded');
    expect(await tradeCount(gateway)).toBe(1);
    gateway.clock.offsetMs = 61_000;
    const late = await press(chat, await pressAgain(chat, id), 'Yes');
    expect(late.shown?.text).toMatch(/^NOT traded: it was refused 6\d s ago/);
  });

  it('what cannot be sent again has no button; duplicates, strangers and outcomes that are told anyway have no notice', async () => {
    const chat = await openChat({ listen: true });
    const { gateway } = chat;
    await gateway.send({ apiKey: 'unknown' });
    await gateway.send({ action: 'CLOSE_LONG' });
    await gateway.send({ idempotencyKey: KEY_1 });
    expect((await gateway.send({ idempotencyKey: KEY_1 })).status).toBe(409);
    await gateway.send({ quantity: 'x' });
    await eventually(
      () => told(chat).length,
      (count) => count > 0,
    );
    expect(told(chat).map(({ text, buttons }) => [text.split(':')[1]?.trim(), buttons])).toEqual([
      ['a signal of test-0 at /webhook', []],
    ]);
  });
});
