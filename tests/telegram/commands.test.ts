// The owner's bot: what each command answers, and that nothing changes without a yes.

import { describe, expect, it } from 'vitest';
import { startBotApi } from '../support/bot-api-server.ts';
import { eventually } from '../webhook/answers.ts';
import { openChat, pause } from './open-chat.ts';
import { ask, CHATS, freshChat, messagesIn, openBot, press, pressesOf } from './talk.ts';

describe('a look', async () => {
  const chat = await openBot();
  const { gateway } = chat;

  it('at nothing yet says so', async () => {
    expect((await ask(chat, '/positions')).text).toBe('Positions (prices: simulated)\nNone is open.');
    expect((await ask(chat, '/trades')).text).toBe('Trades (UTC)\nNone yet.');
    expect((await ask(chat, '/signals')).text).toBe('Signals (UTC)\nNone yet.');
    expect((await ask(chat, '/stops')).text).toBe('Stops\nNo stops.');
    expect((await ask(chat, '/channels')).text).toBe('Channels (UTC)\nntfy failing, 2 waiting. it answered <500>');
  });

  it('/status tells version, kill switch, modes, prices and what waits', async () => {
    const { text } = await ask(chat, '/status');
    expect(text).toBe(
      [
        'Signalbox 1.2.3 (test)',
        'The kill switch is off: signals trade.',
        'Trading: binance paper, bybit paper, mexc paper; prices: simulated',
        'Queue mode: failover',
        'Open positions: 0. Trades waiting or being executed: 0',
      ].join('\n'),
    );
  });

  it('/positions shows what is open and what it is worth', async () => {
    const { body } = await gateway.send({ symbol: 'ETHUSDT', quantity: 2 });
    const { text } = await ask(chat, '/positions');
    const profit = (100 - body.tradeResult.price) * 2;
    expect(text).toContain(`ETHUSDT LONG 2 on binance (paper), in at ${body.tradeResult.price}, now 100, −`);
    expect(Number(/−([\d.]+) USDT/.exec(text)?.[1])).toBeCloseTo(-profit, 6);
  });

  it('/positions shows leverage, shares, everything that guards them, and the key that /close needs', async () => {
    const own = await openBot();
    const stops = { stopLoss: { percent: 3.0127 }, targets: [{ percent: 5, share: 0.5 }], maxHoldSeconds: 3600 };
    await own.gateway.send({
      symbol: 'SOLUSDT',
      quantity: 3,
      strategy: 'trend',
      leverage: 7,
      ...stops,
      breakEvenAfter: 1,
    });
    const { body } = await own.gateway.request('GET', '/positions');
    const sol = body.result.find(({ market }: { market: string }) => market === 'SOLUSDT');
    // On the tick, in short as in whole.
    expect(sol.protection.stopLoss).toBe(sol.protections[0].stopLoss.price);
    const { text } = await ask(own, '/positions');
    const lines = text.slice(text.indexOf('SOLUSDT')).split('\n');
    expect(lines[0]).toMatch(/^SOLUSDT LONG 3 .*, 7x, liquidated|^SOLUSDT LONG 3 .*, 7x$/);
    expect(lines[1]).toBe('· "trend": LONG 3');
    expect(lines[2]).toContain(`· "trend": stop loss ${sol.protection.stopLoss}, target 1 closes 0.5 at `);
    expect(lines[2]).toMatch(/, at the entry price after target 1, closes at .* UTC$/);
    expect(lines[3]).toBe('binance:SOLUSDT:LONG');
  });

  it('/trades and /signals show the newest first, with the reason of a refusal', async () => {
    await gateway.send({ action: 'CLOSE_SHORT', symbol: 'BTC_USDT' });
    const trades = (await ask(chat, '/trades')).text.split('\n');
    expect(trades[1]).toMatch(
      /^\d\d-\d\d \d\d:\d\d:\d\d CLOSE_SHORT 0\.01 BTC_USDT on binance \(paper\): Rejected\. there is no short position/,
    );
    expect(trades[2]).toMatch(/LONG 2 ETHUSDT on binance \(paper\): Filled 2 at /);
    const signals = (await ask(chat, '/signals 1')).text.split('\n');
    expect(signals).toHaveLength(2);
    expect(signals[1]).toMatch(/CLOSE_SHORT BTC_USDT from webhook: accepted$/);
  });

  it.each(['0', '21', '-1', '1.5', 'ten', '5 5'])('/trades %s asks for a number it knows', async (count) => {
    expect((await ask(chat, `/trades ${count}`)).text).toBe('Send a number from 1 to 20, or none.');
  });

  it('/help and /start list every command', async () => {
    for (const command of ['/help', '/start', '/HELP']) {
      const { text } = await ask(chat, command);
      for (const name of [
        'status',
        'positions',
        'orders',
        'cancel',
        'trades',
        'signals',
        'stops',
        'kill on',
        'kill off',
        'mode',
        'help',
      ]) {
        expect(text).toContain(`/${name}`);
      }
    }
  });

  it('at what cannot be read says so and hides where it lies', async () => {
    const broken = await openBot();
    broken.gateway.data.journal.positions = async () => {
      throw new Error('cannot read /home/me/data/signalbox.db');
    };
    expect((await ask(broken, '/positions')).text).toBe('That did not work: cannot read signalbox.db');
  });

  it('at twenty long refusals fits into one message', async () => {
    for (let i = 0; i < 21; i++) await gateway.send({ action: 'CLOSE_SHORT', symbol: '1000SHIBUSDT', quantity: 1000 });
    const { text } = await ask(chat, '/trades 20');
    expect(text.length).toBeLessThanOrEqual(4096);
    expect(text.split('\n').length).toBeGreaterThan(10);
  });
});

describe('the kill switch', async () => {
  const chat = await openBot();
  const { gateway } = chat;
  const now = () => gateway.controls.current().killSwitch;
  let quantity = 100;
  const reset = () => gateway.controls.set('killSwitch', { active: false, scope: 'all' }, 'test');

  it('/kill and /status name the switches that are on beside it', async () => {
    const subject = { kind: 'account', name: 'binance:main' } as const;
    await gateway.restrictions.turnKillSwitch(subject, { active: true, scope: 'entries' }, 'telegram:42');
    const words =
      'The kill switch is off: signals trade.\nThe kill switch of account "binance:main" is ON (entries): no new positions, closing works.\n';
    expect((await ask(chat, '/status')).text).toContain(words);
    expect((await ask(chat, '/kill')).text).toContain(words);
    await gateway.restrictions.clear(subject, 'telegram:42');
  });

  it('/kill alone tells how it stands and how to turn it', async () => {
    const { text, buttons } = await ask(chat, '/kill');
    expect(text).toBe('The kill switch is off: signals trade.\nUse /kill on, /kill on entries or /kill off');
    expect(buttons).toEqual([]);
  });

  it.each([
    ['/kill on', 'all', 503, 503],
    ['/kill on all', 'all', 503, 503],
    ['/kill on entries', 'entries', 503, 422],
    ['/KILL  On   ENTRIES', 'entries', 503, 422],
  ])('%s turns it on after a yes, and not before', async (command, scope, entry, close) => {
    const question = await ask(chat, command);
    expect(question.text).toContain(`Really turn it ON (${scope})?`);
    expect(question.buttons.map(({ text }) => text)).toEqual(['Yes', 'No']);
    expect(now().active).toBe(false);
    const { shown } = await press(chat, question, 'Yes');
    expect(shown?.text).toMatch(/^Done\. The kill switch is ON/);
    expect(shown?.buttons).toEqual([]);
    expect(now()).toMatchObject({ active: true, scope });
    // A new quantity each time: the same body after a 503 would be a resend.
    expect((await gateway.send({ quantity: ++quantity })).status).toBe(entry);
    expect((await gateway.send({ action: 'CLOSE_SHORT', quantity: ++quantity })).status).toBe(close);
    const [entryOfAudit] = await gateway.settings.settings.audit(1);
    expect(entryOfAudit).toMatchObject({ actor: `telegram:${question.chatId}`, setting: 'killSwitch' });
    await reset();
  });

  it('/kill off lets signals trade again after a yes', async () => {
    await gateway.controls.set('killSwitch', { active: true, scope: 'entries', reason: 'storm <1>' }, 'test');
    const question = await ask(chat, '/kill off');
    expect(question.text).toContain('ON (entries): no new positions, closing works (storm <1>)');
    await press(chat, question, 'Yes');
    expect(now()).toEqual({ active: false, scope: 'all' });
    expect((await gateway.send({ quantity: 0.5 })).status).toBe(200);
  });

  it('that stands as wished is not asked about', async () => {
    expect((await ask(chat, '/kill off')).text).toContain('Nothing to change.');
    await gateway.controls.set('killSwitch', { active: true, scope: 'all', cancelEntries: true }, 'test');
    expect((await ask(chat, '/kill on')).text).toContain('Nothing to change.');
    expect((await ask(chat, '/kill on entries')).buttons).toHaveLength(2);
    await reset();
  });

  it.each(['/kill onn', '/kill on everything', '/kill off entries', '/kill on all now', '/kill yes'])(
    '%s changes nothing and tells what would',
    async (command) => {
      const { text, buttons } = await ask(chat, command);
      expect(text).toBe('Use /kill on, /kill on entries or /kill off. Nothing was changed.');
      expect(buttons).toEqual([]);
    },
  );

  it('stays as it is after a no', async () => {
    const question = await ask(chat, '/kill on');
    expect((await press(chat, question, 'No')).shown?.text).toBe('Nothing was changed.');
    await press(chat, question, 'Yes');
    expect(now().active).toBe(false);
  });

  it('that cannot be stored stays as it is, and the chat hears it', async () => {
    const question = await ask(chat, '/kill on');
    const { set } = gateway.settings.settings;
    gateway.settings.settings.set = () => {
      throw new Error('disk full');
    };
    const { shown } = await press(chat, question, 'Yes');
    gateway.settings.settings.set = set;
    expect(shown?.text).toBe('NOT done, it could not be stored: disk full');
    expect(now().active).toBe(false);
  });
});

describe('a confirmation', async () => {
  const chat = await openBot();
  const { gateway, botApi } = chat;
  const now = () => gateway.controls.current().queueMode;
  const reset = () => gateway.controls.set('queueMode', 'failover', 'test');

  it('changes the queue mode, once', async () => {
    const question = await ask(chat, '/mode async');
    expect(question.text).toBe('Change the queue mode from failover to async?');
    expect((await press(chat, question, 'Yes')).shown?.text).toBe('Done. The queue mode is async.');
    expect((await gateway.send()).status).toBe(202);
    expect((await ask(chat, '/mode async')).text).toBe('The queue mode is async already.');
    expect((await ask(chat, '/mode')).text).toContain('Queue mode: async.');
    expect((await ask(chat, '/mode fast')).text).toContain('Nothing was changed.');
    expect((await ask(chat, '/mode direct async')).text).toContain('Nothing was changed.');
    await reset();
    expect((await press(chat, question, 'Yes')).popup).toBe('This was answered already.');
    expect(now()).toBe('failover');
  });

  it('is told by the press itself when the question cannot be changed any more', async () => {
    const question = await ask(chat, '/mode async');
    botApi.fail('editMessageText', { code: 400, description: "Bad Request: message can't be edited" });
    const { shown, popup } = await press(chat, question, 'Yes');
    expect(popup).toBe('Done. The queue mode is async.');
    expect(shown?.buttons).toHaveLength(2);
    expect(now()).toBe('async');
    await reset();
  });

  it('clicked twice at once counts once', async () => {
    const question = await ask(chat, '/mode async');
    const audits = (await gateway.settings.settings.audit(100)).length;
    const before = pressesOf(chat).length;
    for (const _ of [1, 2, 3]) {
      botApi.press(question.buttons[0]?.callback_data as string, question);
    }
    await eventually(
      () => pressesOf(chat).length,
      (count) => count === before + 3,
    );
    expect(await gateway.settings.settings.audit(100)).toHaveLength(audits + 1);
    expect(messagesIn(chat, question.chatId).at(-1)?.text).toBe('Done. The queue mode is async.');
    await reset();
  });

  it('counts for less than a minute', async () => {
    const question = await ask(chat, '/mode async');
    chat.advance(60_000);
    const { shown } = await press(chat, question, 'Yes');
    expect(shown?.text).toBe('Too late. Nothing was changed. Send the command again.');
    expect(now()).toBe('failover');
    const inTime = await ask(chat, '/mode async');
    chat.advance(58_000);
    await press(chat, inTime, 'Yes');
    expect(now()).toBe('async');
    await reset();
  });

  it('is no business of anybody else in the group, and stays open for whoever asked', async () => {
    const group = { chatId: freshChat(), type: 'group' };
    const question = await ask(chat, '/mode async', { ...group, userId: 1 });
    const { shown, popup } = await press(chat, question, 'Yes', { ...group, userId: 2 });
    expect(popup).toBe('Only whoever sent the command can answer.');
    expect(shown?.buttons).toHaveLength(2);
    expect(now()).toBe('failover');
    await press(chat, question, 'Yes', { ...group, userId: 1 });
    expect(now()).toBe('async');
    await reset();
  });

  it('does not hold in another chat', async () => {
    const question = await ask(chat, '/mode async', { userId: 7 });
    const { popup } = await press(chat, question, 'Yes', { chatId: freshChat(), userId: 7 });
    expect(popup).toBe('Only whoever sent the command can answer.');
    expect(now()).toBe('failover');
  });

  it.each(['yes:', 'yes:AAAAAAAAAAAAAAAAAAAAAA', 'yes:__proto__', 'yes', 'no:', 'other', ''])(
    'made up as %j changes nothing',
    async (data) => {
      botApi.press(data, { chatId: freshChat(), messageId: 1 });
      await pause(50);
      expect(now()).toBe('failover');
    },
  );

  it('has a token nobody can guess', async () => {
    const tokens = new Set<string>();
    for (let i = 0; i < 4; i++) {
      const question = await ask(chat, '/mode async');
      const data = question.buttons[0]?.callback_data as string;
      expect(data).toMatch(/^yes:[\w-]{22}$/);
      tokens.add(data);
    }
    expect(tokens.size).toBe(4);
  });

  it('is not remembered over a restart', async () => {
    const shared = await startBotApi();
    const options = { botApi: shared, allowedChats: CHATS.map(String), listen: true };
    const before = await openChat(options);
    const question = await ask(before, '/mode async');
    await before.close();
    const after = await openChat({ ...options, dataDir: before.gateway.dataDir });
    const { shown } = await press(after, question, 'Yes');
    expect(shown?.text).toBe('Too late. Nothing was changed. Send the command again.');
    expect(after.gateway.controls.current().queueMode).toBe('failover');
    await after.close();
    await shared.close();
  });
});
