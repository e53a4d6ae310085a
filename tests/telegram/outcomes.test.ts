// What the owner hears without asking: every final outcome, once, and alarms.

import { describe, expect, it } from 'vitest';
import { ANSWER_DEADLINE_MS } from '../../src/trading/execution/dispatch.ts';
import { startBotApi } from '../support/bot-api-server.ts';
import { timed } from '../support/lived-time.ts';
import { createScriptedVenue } from '../support/scripted-venue.ts';
import { eventually } from '../webhook/answers.ts';
import { type Chat, kindsOf, OTHER_CHAT, openChat, pause } from './open-chat.ts';

/** The lines of the chat that tell outcomes; several may share a message. */
const outcomes = (chat: Chat): string[] =>
  chat
    .texts()
    .flatMap((text) => text.split('\n'))
    .filter((line) => !line.startsWith('⚠️'));
const alarms = (chat: Chat): string[] => chat.texts().filter((text) => text.startsWith('⚠️'));
const heard = async (chat: Chat, count: number): Promise<string[]> => {
  await eventually(
    () => outcomes(chat).length,
    (found) => found >= count,
  );
  await pause(1500);
  return outcomes(chat);
};

describe.concurrent('the owner hears', () => {
  it('a trade that was answered with its fill, and the answer does not wait for it', async () => {
    const chat = await openChat();
    chat.botApi.outage = { fault: 'hang' };
    const {
      result: { body },
      livedMs,
    } = await timed(() => chat.gateway.send());
    expect(livedMs).toBeLessThan(990);
    expect(body.notificationResult).toBe(null);
    chat.botApi.outage = undefined;
    expect(await heard(chat, 1)).toEqual([
      `LONG 0.01 BTCUSDT on binance (paper): Filled 0.01 at ${body.tradeResult.price}`,
    ]);
    expect(await kindsOf(chat.gateway, body.requestId)).toContain('notified');
  });

  it('a trade that was answered with 202', async () => {
    const chat = await openChat({ controls: { queueMode: 'async' } });
    expect((await chat.gateway.send()).status).toBe(202);
    expect((await heard(chat, 1))[0]).toMatch(/: Filled 0\.01 at /);
  });

  it('a resting order only when it is filled', async () => {
    const venue = createScriptedVenue();
    const chat = await openChat({ venues: [venue] });
    venue.script.push({ rest: true });
    const { body } = await chat.gateway.send({ price: 90 });
    expect(body.tradeResult.status).toBe('Submitted');
    await pause(3500);
    expect(outcomes(chat)).toEqual([]);
    venue.fill(venue.sent[0]?.clientOrderId as string);
    expect(await heard(chat, 1)).toEqual(['LONG 0.01 BTCUSDT on binance (paper): Filled 0.01 at 100']);
  });

  it('a refusal, with its reason', async () => {
    const chat = await openChat();
    const { body } = await chat.gateway.send({ action: 'CLOSE_SHORT' });
    expect(await heard(chat, 1)).toEqual([`CLOSE_SHORT 0.01 BTCUSDT on binance (paper): Rejected. ${body.error}`]);
  });

  it('a trade that expired because its venue was away too long', async () => {
    const venue = createScriptedVenue();
    const chat = await openChat({ venues: [venue], signalMaxAgeMs: 1000 });
    venue.down = 'not-sent';
    const { body } = await chat.gateway.send();
    expect(body.tradeResult.queued).toBe(true);
    const [line] = await heard(chat, 1);
    expect(line).toMatch(/: Expired\. the signal waited longer/);
    expect(alarms(chat)).toContain('⚠️ binance cannot be reached: the scripted venue is down');
  });

  it('a canceled trade that the kill switch met in the queue', async () => {
    const venue = createScriptedVenue();
    const chat = await openChat({ venues: [venue] });
    venue.down = 'not-sent';
    const { body } = await chat.gateway.send();
    await chat.gateway.controls.set('killSwitch', { active: true, scope: 'all', reason: 'test' }, 'cli 127.0.0.1');
    await chat.gateway.until(body.requestId, 'Canceled');
    expect((await heard(chat, 1))[0]).toContain(': Canceled. trading is disabled by the kill switch (test)');
  });

  it('an unknown outcome at once, and the truth when it is known', async () => {
    const venue = createScriptedVenue();
    const chat = await openChat({ venues: [venue], answerDeadlineMs: ANSWER_DEADLINE_MS });
    venue.script.push({ fail: 'unknown', taken: true });
    venue.hiddenLooks = 1000;
    const { body } = await chat.gateway.send();
    expect(body.status).toBe('Enqueued');
    await eventually(
      () => outcomes(chat).length,
      (count) => count > 0,
    );
    expect(outcomes(chat)[0]).toContain(': Unknown. no clear answer from the venue');
    venue.hiddenLooks = 0;
    await chat.gateway.desk.dispatcher.reconcile();
    expect((await heard(chat, 2))[1]).toContain(': Filled 0.01 at 100');
  });

  it('the end of a resting order whose sender was told of its beginning', async () => {
    const venue = createScriptedVenue();
    const chat = await openChat({ venues: [venue] });
    venue.script.push({ rest: true });
    const { body } = await chat.gateway.send({ price: 90, notify: { message: 'mine: {{status}}' } });
    expect(body.notificationResult.success).toBe(true);
    venue.fill(venue.sent[0]?.clientOrderId as string);
    expect(await heard(chat, 2)).toEqual([
      'mine: Submitted',
      'LONG 0.01 BTCUSDT on binance (paper): Filled 0.01 at 100',
    ]);
  });

  it('nothing where there is no default chat', async () => {
    const chat = await openChat({ defaultChat: null });
    await chat.gateway.send();
    await chat.gateway.controls.set('killSwitch', { active: true, scope: 'all' }, 'test');
    await pause(3500);
    expect(chat.botApi.calls).toEqual([]);
  });

  it('a backlog in a few messages, each outcome once, in order', async () => {
    const chat = await openChat({ controls: { queueMode: 'async' } });
    const quantities = Array.from({ length: 40 }, (_, index) => (index + 1) / 1000);
    for (const quantity of quantities) await chat.gateway.send({ quantity });
    const lines = await heard(chat, quantities.length);
    expect(lines.map((line) => Number(line.split(' ')[1]))).toEqual(quantities);
    expect(chat.botApi.countOf('sendMessage')).toBeLessThan(8);
  });

  it('what an outage and a restart held back', async () => {
    const botApi = await startBotApi();
    botApi.outage = { fault: 'reset' };
    const before = await openChat({ botApi });
    await before.gateway.send();
    await pause(3500);
    await before.close();
    botApi.outage = undefined;
    const after = await openChat({ botApi, dataDir: before.gateway.dataDir });
    expect(await heard(after, 1)).toHaveLength(1);
    await after.close();
    await botApi.close();
  });
});

describe.concurrent('an alarm', () => {
  it('tells who turned the kill switch, on and off, however often', async () => {
    const chat = await openChat();
    const put = (active: boolean) =>
      chat.gateway.request('PUT', '/admin/kill-switch', { active }, { headers: { 'x-signalbox-actor': 'cli' } });
    for (const active of [true, false, true]) await put(active);
    await put(true);
    await eventually(
      () => alarms(chat).length,
      (count) => count === 3,
    );
    expect(alarms(chat)).toEqual([
      '⚠️ The kill switch is ON (all): every signal is refused. Turned by cli 127.0.0.1',
      '⚠️ The kill switch is off: signals trade. Turned by cli 127.0.0.1',
      '⚠️ The kill switch is ON (all): every signal is refused. Turned by cli 127.0.0.1',
    ]);
  });

  it('tells who turned the kill switch of one strategy', async () => {
    const chat = await openChat();
    const path = '/admin/restrictions/strategy/ema/kill-switch';
    const by = { headers: { 'x-signalbox-actor': 'cli' } };
    for (const active of [true, true, false]) await chat.gateway.request('PUT', path, { active }, by);
    await eventually(
      () => alarms(chat).length,
      (count) => count === 2,
    );
    expect(alarms(chat)).toEqual([
      '⚠️ The kill switch of strategy "ema" is ON (all): every signal of it is refused. Turned by cli 127.0.0.1',
      '⚠️ The kill switch of strategy "ema" is off: its signals trade. Turned by cli 127.0.0.1',
    ]);
  });

  it('is not sent for the change the owner just made in this very chat, but for one made in another', async () => {
    const chat = await openChat({ listen: true });
    const turn = async (command: string, chatId: number): Promise<void> => {
      chat.botApi.say(command, { chatId });
      const question = () => chat.botApi.messages.find(({ buttons }) => buttons.length > 0);
      await eventually(question, (found) => found !== undefined);
      const { messageId, buttons } = question() ?? { messageId: 0, buttons: [] };
      chat.botApi.press(buttons[0]?.callback_data as string, { chatId, messageId });
      await eventually(question, (found) => found === undefined);
    };
    await turn('/kill on', 42);
    await turn('/kill off', Number(OTHER_CHAT));
    await eventually(
      () => alarms(chat).length,
      (count) => count > 0,
    );
    await pause(300);
    expect(alarms(chat)).toEqual([`⚠️ The kill switch is off: signals trade. Turned by telegram:${OTHER_CHAT}`]);
  });

  it('of the same kind comes once a minute', async () => {
    const venue = createScriptedVenue();
    // The second and third wait behind the first.
    const chat = await openChat({ venues: [venue], answerDeadlineMs: ANSWER_DEADLINE_MS });
    venue.down = 'not-sent';
    for (const quantity of [1, 2, 3]) await chat.gateway.send({ quantity });
    await pause(2000);
    expect(alarms(chat)).toHaveLength(1);
    chat.advance(60_000);
    await eventually(
      () => alarms(chat).length,
      (count) => count === 2,
    );
  });

  it('tells that a notification was given up, without a message to where it should have gone', async () => {
    const chat = await openChat();
    await chat.gateway.send({ notify: { chatId: '666', message: 'x' } });
    await eventually(
      () => alarms(chat).length,
      (count) => count === 1,
    );
    expect(alarms(chat)[0]).toBe(
      '⚠️ A notification was given up: chat "666" is not allowed; add it to TELEGRAM_ALLOWED_CHATS if it is yours',
    );
    expect(chat.botApi.calls.every(({ payload }) => payload.chat_id === '42')).toBe(true);
  });

  it('tells of trouble with the disk, without the folder', async () => {
    const chat = await openChat();
    const { record } = chat.gateway.data.journal;
    let failures = 1;
    chat.gateway.data.journal.record = (step) => {
      if (failures-- > 0) throw new Error('/home/me/data/signalbox.db: disk full');
      return record(step);
    };
    await chat.gateway.send();
    await eventually(
      () => alarms(chat).length,
      (count) => count === 1,
    );
    expect(alarms(chat)[0]).toMatch(/^⚠️ A step of trade 1 is not on disk yet \(attempt 1\): signalbox\.db: disk full$/);
  });

  it('that cannot be sent is lost, and only logged', async () => {
    const chat = await openChat();
    chat.botApi.outage = { fault: 'reset' };
    await chat.gateway.controls.set('killSwitch', { active: true, scope: 'all' }, 'test');
    await eventually(
      () => chat.lines.length,
      (count) => count === 1,
    );
    expect(chat.lines[0]?.message).toBe('an alarm did not reach the chat');
  });
});
