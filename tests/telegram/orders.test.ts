// Orders in the owner's chat: /orders shows what is open, /cancel takes it back after a yes.

import { expect, it } from 'vitest';
import { ask, openBot, press } from './talk.ts';

const chat = await openBot();
const { gateway } = chat;
const LOW = { BTCUSDT: 1000, ETHUSDT: 100 } as const;

async function rest(symbol: keyof typeof LOW): Promise<string> {
  const { body } = await gateway.send({ symbol, quantity: 1, price: LOW[symbol] });
  expect(body.tradeResult.status).toBe('Submitted');
  return (await gateway.request('GET', '/orders?limit=1')).body.result[0].clientOrderId;
}

it('nothing open says so, and a wrong word changes nothing', async () => {
  expect((await ask(chat, '/orders')).text).toBe('Open orders (UTC)\nNone is open.');
  expect((await ask(chat, '/cancel all')).text).toBe('No open order fits. /orders lists them.');
  for (const words of ['', ' all now', ' ?'])
    expect((await ask(chat, `/cancel${words}`)).text).toContain('Use /cancel ID');
});

it('/orders lists each with its id; /cancel asks first, and a no changes nothing', async () => {
  const id = await rest('BTCUSDT');
  const { text } = await ask(chat, '/orders');
  expect(text).toMatch(/BTCUSDT BUY 1 at 1000, opens LONG on binance \(paper\): Submitted/);
  expect(text).toContain(id);
  const question = await ask(chat, `/cancel ${id}`);
  expect(question.text).toContain('Really cancel this order?');
  await press(chat, question, 'No');
  expect((await gateway.request('GET', '/orders')).body.result).toHaveLength(1);
  const { shown } = await press(chat, await ask(chat, `/cancel ${id}`), 'Yes');
  expect(shown?.text).toBe(`Orders\n${id}: canceled`);
  expect((await gateway.request('GET', '/orders')).body.result).toEqual([]);
  const [trade] = (await gateway.request('GET', '/trades')).body.result;
  expect(trade).toMatchObject({ status: 'Canceled', error: expect.stringMatching(/^canceled by telegram:\d+$/) });
});

it('/cancel of a market leaves the others, and /cancel all takes the rest, also while the kill switch is on', async () => {
  const [first, second] = [await rest('BTCUSDT'), await rest('ETHUSDT')];
  await gateway.request('PUT', '/admin/kill-switch', { active: true, scope: 'all', cancelEntries: false });
  const one = await press(chat, await ask(chat, '/cancel btc/usdt'), 'Yes');
  expect(one.shown?.text).toBe(`Orders\n${first}: canceled`);
  const all = await press(chat, await ask(chat, '/cancel all'), 'Yes');
  expect(all.shown?.text).toBe(`Orders\n${second}: canceled`);
});
