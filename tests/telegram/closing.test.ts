// Closing by the owner's bot: /close and /flatten ask first, close after a yes, and only what they named.

import { beforeEach, describe, expect, it } from 'vitest';
import { ask, openBot, press } from './talk.ts';

const chat = await openBot();
const { gateway } = chat;
const held = async (): Promise<string[]> =>
  (await gateway.request('GET', '/positions')).body.result.map(
    (row: Record<string, unknown>) => `${row.key} ${row.quantity}`,
  );

beforeEach(async () => {
  await gateway.request('PUT', '/admin/kill-switch', { active: false });
  await gateway.request('POST', '/positions/close', { all: true });
  await gateway.send({ symbol: 'SOLUSDT', quantity: 4 });
  await gateway.send({ symbol: 'ETHUSDT', quantity: 1, exchange: 'bybit', action: 'SHORT' });
});

describe('/close', () => {
  it('closes the named position after a yes, and not before, whatever the kill switch says', async () => {
    await gateway.request('PUT', '/admin/kill-switch', { active: true });
    const question = await ask(chat, '/close binance:SOLUSDT:LONG');
    expect(question.text).toBe('Really close at market?\nbinance:SOLUSDT:LONG: 4');
    expect(question.buttons.map(({ text }) => text)).toEqual(['Yes', 'No']);
    expect(await held()).toHaveLength(2);
    const { shown } = await press(chat, question, 'Yes');
    expect(shown?.text).toMatch(/^Closed\nbinance:SOLUSDT:LONG: Filled 4 at [\d.]+$/);
    expect(await held()).toEqual(['bybit:ETHUSDT:SHORT 1']);
    const [trade] = (await gateway.request('GET', '/trades?limit=1')).body.result;
    expect(trade).toMatchObject({ source: 'owner', keyLabel: `telegram:${question.chatId}` });
  });

  it('closes a share of several', async () => {
    const question = await ask(chat, '/close binance:SOLUSDT:LONG bybit:main:eth/usdt:short 0.5');
    expect(question.text).toBe(
      'Really close at market?\nbinance:SOLUSDT:LONG: 0.5 of 4\nbybit:ETHUSDT:SHORT: 0.5 of 1',
    );
    await press(chat, question, 'Yes');
    expect(await held()).toEqual(['binance:SOLUSDT:LONG 2', 'bybit:ETHUSDT:SHORT 0.5']);
  });

  it('closes nothing after a no', async () => {
    const question = await ask(chat, '/close binance:SOLUSDT:LONG');
    expect((await press(chat, question, 'No')).shown?.text).toBe('Nothing was changed.');
    expect(await held()).toHaveLength(2);
  });

  it('pressed twice closes once', async () => {
    const question = await ask(chat, '/close binance:SOLUSDT:LONG 0.5');
    await press(chat, question, 'Yes');
    chat.botApi.press(question.buttons[0]?.callback_data as string, question);
    await press(chat, question, 'No');
    expect(await held()).toContain('binance:SOLUSDT:LONG 2');
  });

  it('of a position that went away meanwhile says so', async () => {
    const question = await ask(chat, '/close binance:SOLUSDT:LONG');
    await gateway.request('POST', '/positions/close', { all: true });
    const { shown } = await press(chat, question, 'Yes');
    expect(shown?.text).toContain('NOT closed. there is no open position binance:SOLUSDT:LONG');
  });

  it.each([
    ['/close', 'Use /close'],
    ['/close 0.5', 'Use /close'],
    ['/close everything', 'Use /close'],
    ['/close binance:SOLUSDT:LONG 1.5', 'Use /close'],
    ['/close binance:SOLUSDT:LONG 0', 'Use /close'],
    ['/close binance:SOLUSDT:SHORT', 'There is no open position binance:SOLUSDT:SHORT'],
  ])('%s asks nothing and tells what would', async (command, words) => {
    const { text, buttons } = await ask(chat, command);
    expect(text).toContain(words);
    expect(text).toContain('Nothing was changed.');
    expect(buttons).toEqual([]);
  });
});

describe('/flatten', () => {
  it('closes everything after a yes', async () => {
    const question = await ask(chat, '/flatten');
    expect(question.text).toBe('Really close at market?\nbinance:SOLUSDT:LONG: 4\nbybit:ETHUSDT:SHORT: 1');
    const { shown } = await press(chat, question, 'Yes');
    expect(shown?.text.split('\n')).toHaveLength(3);
    expect(await held()).toEqual([]);
    expect((await ask(chat, '/flatten')).text).toBe('None is open.');
  });

  it('takes no words', async () => {
    expect((await ask(chat, '/flatten binance')).text).toContain('Nothing was changed.');
    expect(await held()).toHaveLength(2);
  });
});

describe('/kill on', () => {
  const entry = async () => (await gateway.send({ symbol: 'SOLUSDT', quantity: 1, price: 20 })).body.requestId;

  it('withdraws resting entries after a yes, and tells how many', async () => {
    const requestId = await entry();
    const question = await ask(chat, '/kill on entries');
    expect(question.text).toContain('Really turn it ON (entries)?\nResting entries are withdrawn.');
    const { shown } = await press(chat, question, 'Yes');
    expect(shown?.text).toMatch(/^Done\. The kill switch is ON .*\nEntries withdrawn: 1\.$/);
    expect((await gateway.trade(requestId)).status).toBe('Canceled');
    expect(await held()).toHaveLength(2);
  });

  it('keep leaves them, flatten closes every position', async () => {
    const requestId = await entry();
    const question = await ask(chat, '/kill on keep flatten');
    expect(question.text).toContain('Resting entries stay. EVERY POSITION IS CLOSED at market.');
    const { shown } = await press(chat, question, 'Yes');
    expect(shown?.text).toMatch(/binance:SOLUSDT:LONG: Filled 4 at [\d.]+\nbybit:ETHUSDT:SHORT: Filled 1 at [\d.]+$/);
    expect(await held()).toEqual([]);
    expect(gateway.controls.current().killSwitch).toMatchObject({ cancelEntries: false, flatten: true });
    // It stood in the way of the close, on the same side of the same market.
    expect((await gateway.trade(requestId)).status).toBe('Canceled');
  });

  it.each(['/kill on keep keep', '/kill on all entries', '/kill off flatten', '/kill on close'])(
    '%s changes nothing',
    async (command) => {
      const { text, buttons } = await ask(chat, command);
      expect(text).toContain('Nothing was changed.');
      expect(buttons).toEqual([]);
    },
  );
});
