// Stops in the owner's chat: /stops shows what guards positions and what waits, /move asks first and moves a stop loss.

import { beforeEach, describe, expect, it } from 'vitest';
import { ask, openBot, press } from './talk.ts';

const chat = await openBot();
const { gateway } = chat;
const stopOf = async (strategy: string | null = null) =>
  (await gateway.request('GET', '/protections')).body.result.find(
    (row: Record<string, unknown>) => row.strategy === strategy && row.status === 'active',
  )?.stopLoss;

beforeEach(async () => {
  await gateway.request('POST', '/orders/cancel', { all: true });
  await gateway.request('POST', '/positions/close', { all: true });
});

describe('/stops', () => {
  it('shows every level, whose share it guards, and what waits for its fill', async () => {
    const targets = [{ percent: 10, share: 0.5 }];
    await gateway.send({ symbol: 'SOLUSDT', quantity: 4, strategy: 'Trend', stopLoss: { percent: 50 }, targets });
    await gateway.send({ symbol: 'SOLUSDT', quantity: 4, price: 50, stopLoss: { percent: 5 }, maxHoldSeconds: 60 });
    const { text } = await ask(chat, '/stops');
    expect(text).toMatch(/SOLUSDT LONG of "Trend" on binance: stop loss [\d.]+, target 1 closes 0.5 at [\d.]+/);
    expect(text).toContain('stop loss 5%, closes 60 s after its fill, waiting for the fill');
  });

  it('says that there are none', async () => {
    expect((await ask(chat, '/stops')).text).toBe('Stops\nNo stops.');
  });
});

describe('/move', () => {
  it('moves the stop loss after a yes, and not before or after a no', async () => {
    await gateway.send({ symbol: 'SOLUSDT', quantity: 4, stopLoss: { percent: 50 } });
    const before = await stopOf();
    const first = await ask(chat, '/move binance:SOLUSDT:LONG 20%');
    expect(first.text).toBe('Really move the stop loss of binance:SOLUSDT:LONG to 20%?');
    expect((await press(chat, first, 'No')).shown?.text).toBe('Nothing was changed.');
    expect(await stopOf()).toEqual(before);
    const question = await ask(chat, '/move binance:SOLUSDT:LONG 20%');
    expect((await press(chat, question, 'Yes')).shown?.text).toBe(
      'Done. The stop loss of binance:SOLUSDT:LONG is 20%.',
    );
    expect(await stopOf()).toMatchObject({ asked: { percent: 20 } });
  });

  it('asks which strategy is meant, and finds it in any case', async () => {
    for (const strategy of ['Trend', 'Range'])
      await gateway.send({ symbol: 'SOLUSDT', quantity: 4, strategy, stopLoss: { percent: 50 } });
    expect((await ask(chat, '/move binance:SOLUSDT:LONG 20%')).text).toContain('"Range", "Trend"');
    const question = await ask(chat, '/move binance:SOLUSDT:LONG 20% trend');
    await press(chat, question, 'Yes');
    expect([await stopOf('Trend'), await stopOf('Range')]).toMatchObject([
      { asked: { percent: 20 } },
      { asked: { percent: 50 } },
    ]);
  });

  it('moves one that waits for its fill, and says so', async () => {
    await gateway.send({ symbol: 'SOLUSDT', quantity: 4, price: 50, strategy: 'Dip', stopLoss: { percent: 5 } });
    const question = await ask(chat, '/move binance:SOLUSDT:LONG 8%');
    expect(question.text).toBe('Really move the stop loss of binance:SOLUSDT:LONG of strategy "Dip" to 8%?');
    expect((await press(chat, question, 'Yes')).shown?.text).toContain('is 8%. It waits for the fill.');
    const { result } = (await gateway.request('GET', '/protections')).body;
    expect(result).toMatchObject([{ status: 'waiting for the fill', stopLoss: { asked: { percent: 8 } } }]);
  });

  it('says why nothing was moved', async () => {
    expect((await ask(chat, '/move binance:SOLUSDT:LONG')).text).toContain('Use /move');
    expect((await ask(chat, '/move binance:SOLUSDT:LONG soon')).text).toContain('Use /move');
    expect((await ask(chat, '/move binance:SOLUSDT:LONG 1')).text).toContain('Nothing guards binance:SOLUSDT:LONG');
    await gateway.send({ symbol: 'SOLUSDT', quantity: 4, stopLoss: { percent: 50 } });
    const question = await ask(chat, '/move binance:SOLUSDT:LONG 99999999');
    expect((await press(chat, question, 'Yes')).shown?.text).toContain(
      'NOT moved: stopLoss 99999999 of a long belongs below',
    );
  });
});
