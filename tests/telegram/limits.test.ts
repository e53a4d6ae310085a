// Limits, pauses and kill switches of one key, strategy, account or symbol by the owner's bot: asked first, in force after a yes.

import { beforeEach, describe, expect, it } from 'vitest';
import { STOPPABLE } from '../support/strategy-names.ts';
import { expectFilled } from '../webhook/answers.ts';
import { ask, openBot, press } from './talk.ts';

const chat = await openBot();
const { gateway } = chat;
const STRATEGY = 'Ema Cross';
const entry = (fields: object = {}) => gateway.send({ symbol: 'SOLUSDT', quantity: 1, strategy: STRATEGY, ...fields });
const rows = async () => (await gateway.request('GET', '/admin/restrictions')).body.result;

beforeEach(async () => {
  for (const { kind, name } of gateway.restrictions.list()) await gateway.restrictions.clear({ kind, name }, 'test');
  await gateway.request('POST', '/positions/close', { all: true });
});

describe('/pause and /resume', () => {
  it('stop entries after a yes and let them go on, with names as they are written', async () => {
    const question = await ask(chat, `/pause strategy:${STRATEGY}`);
    expect(question.text).toBe(`Really pause strategy:${STRATEGY}? New entries are refused, closes pass.`);
    expectFilled(await entry());
    expect((await press(chat, question, 'Yes')).shown?.text).toContain('PAUSED');
    expect((await entry()).body.code).toBe('STRATEGY_PAUSED');
    expectFilled(await entry({ action: 'CLOSE_LONG' }));
    await press(chat, await ask(chat, `/resume strategy:${STRATEGY}`), 'Yes');
    expectFilled(await entry());
    const [audited] = (await gateway.request('GET', '/admin/audit?limit=1')).body.result;
    expect(audited).toMatchObject({ setting: 'restriction', actor: expect.stringContaining('telegram:') });
  });

  it('say how many entries wait at the venue, and withdraw them where that is asked for', async () => {
    const rest = () => entry({ price: 10 });
    for (const sent of [await rest(), await rest()]) expect(sent.body.tradeResult.status).toBe('Submitted');
    const question = await ask(chat, `/pause strategy:${STRATEGY}`);
    expect(question.text).toContain(
      '2 of its entries wait at the venue and may still fill; write cancelEntries behind it to withdraw them.',
    );
    expect((await press(chat, question, 'Yes')).shown?.text).toContain(
      'Entries that wait at the venue and may still fill: 2.',
    );
    const again = await ask(chat, `/pause strategy:${STRATEGY} cancelEntries`);
    expect(again.text).toContain('2 of its entries wait at the venue and are withdrawn.');
    const { text } = (await press(chat, again, 'Yes')).shown ?? {};
    expect(text).toContain('Entries withdrawn: 2.');
    expect(text).not.toContain('may still fill');
    expect((await ask(chat, `/pause strategy:${STRATEGY} cancelEntries`)).text).toContain('is paused already');
  });

  it.each([
    ['/pause', 'Use /pause with key:tv'],
    ['/pause nobody', 'write key:'],
    ['/pause key:nobody', 'there is no webhook key "nobody"'],
    ['/pause account:binance:nowhere', 'binance has no account "nowhere"'],
    ['/resume symbol:SOLUSDT', 'is not paused'],
  ])('%s changes nothing', async (text, words) => {
    const answer = await ask(chat, text);
    expect(answer.text).toContain(words);
    expect(answer.buttons).toEqual([]);
    expect(await rows()).toEqual([]);
  });
});

describe('a strategy that trades', () => {
  it.each(STOPPABLE)('is stopped by its name, %j', async (strategy) => {
    expectFilled(await entry({ strategy }));
    const stops = [
      [`/pause strategy:${strategy}`, `/resume strategy:${strategy}`, 'STRATEGY_PAUSED'],
      [`/kill on strategy:${strategy} entries`, `/kill off strategy:${strategy}`, 'KILL_SWITCH_ACTIVE'],
      [
        `/limits strategy:${strategy} entriesPerDay=0`,
        `/limits strategy:${strategy} entriesPerDay=none`,
        'LIMIT_ENTRIES_PER_DAY',
      ],
    ] as const;
    for (const [on, off, code] of stops) {
      await press(chat, await ask(chat, on), 'Yes');
      expect(await rows()).toMatchObject([{ kind: 'strategy', name: strategy }]);
      expect((await entry({ strategy })).body.code).toBe(code);
      await press(chat, await ask(chat, off), 'Yes');
      expectFilled(await entry({ strategy }));
    }
  });

  it.each(['sell all', 'never keep losers', 'x rate=1', 'flatten it', '"quoted" name', 'Say "x"'])(
    'is told from the words beside it by quotes: %j',
    async (strategy) => {
      expectFilled(await entry({ strategy }));
      const stops = [
        [`/kill on entries strategy:"${strategy}" keep`, `/kill off strategy:“${strategy}”`],
        [`/limits strategy:"${strategy}" entriesPerDay=0`, `/limits strategy:“${strategy}” entriesPerDay=none`],
      ] as const;
      for (const [on, off] of stops) {
        await press(chat, await ask(chat, on), 'Yes');
        expect(await rows()).toMatchObject([{ kind: 'strategy', name: strategy }]);
        await press(chat, await ask(chat, off), 'Yes');
        expect(await rows()).toEqual([]);
      }
    },
  );
});

describe('/limits', () => {
  it.each([
    ['largestOrder=10', { quantity: 1 }, 'LIMIT_LARGEST_ORDER'],
    ['largestPosition=10', { quantity: 1 }, 'LIMIT_LARGEST_POSITION'],
    ['openPositions=0', {}, 'LIMIT_OPEN_POSITIONS'],
    ['entriesPerDay=0', {}, 'LIMIT_ENTRIES_PER_DAY'],
    ['leverage=2', { leverage: 3 }, 'LIMIT_LEVERAGE'],
    ['priceDeviationPercent=1.5', { price: 1, quantity: 10 }, 'LIMIT_PRICE'],
    ['spreadPercent=0.0001', {}, 'LIMIT_SPREAD'],
  ])('%s is in force after a yes', async (limit, signal, code) => {
    const question = await ask(chat, `/limits symbol:solusdt ${limit}`);
    expect(question.text).toContain('Really set the limits of symbol:SOLUSDT');
    expect(await rows()).toEqual([]);
    await press(chat, question, 'Yes');
    expect((await entry(signal)).body.code).toBe(code);
    expect((await ask(chat, '/limits')).text).toContain(`symbol:SOLUSDT: trades. Limits: ${limit.replace('=', ' ')}`);
    await press(chat, await ask(chat, `/limits symbol:SOLUSDT ${limit.split('=')[0]}=none`), 'Yes');
    expect(await rows()).toEqual([]);
  });

  it('leaves the other limits as they are', async () => {
    await gateway.restrictions.setLimits({ kind: 'symbol', name: 'SOLUSDT' }, { venues: ['binance'], rate: 3 }, 'test');
    await press(chat, await ask(chat, '/limits symbol:SOLUSDT dailyLoss=5.5'), 'Yes');
    expect((await rows())[0].limits).toEqual({ venues: ['binance'], rate: 3, dailyLoss: 5.5 });
  });

  it('leaves a limit that was set between the question and the yes', async () => {
    const owner = { kind: 'symbol', name: 'SOLUSDT' } as const;
    await gateway.restrictions.setLimits(owner, { rate: 3 }, 'test');
    const question = await ask(chat, '/limits symbol:SOLUSDT dailyLoss=5.5');
    await gateway.restrictions.setLimits(owner, { entriesPerDay: 2 }, 'test');
    const { shown } = await press(chat, question, 'Yes');
    expect(shown?.text).toContain('Limits: entriesPerDay 2, dailyLoss 5.5');
    expect((await rows())[0].limits).toEqual({ entriesPerDay: 2, dailyLoss: 5.5 });
  });

  it.each(['rate=0', 'leverage=1.5', 'spreadPercent=0', 'rate=1.5', 'rate=x', 'nothing=1', 'largestOrder=-1', ''])(
    '"%s" is no limit',
    async (limit) => {
      expect((await ask(chat, `/limits symbol:SOLUSDT ${limit}`)).text).toContain('Use /limits alone');
      expect(await rows()).toEqual([]);
    },
  );
});

describe('/kill of one', () => {
  it('that does not exist is refused, and a strategy that never signalled is doubted', async () => {
    const wrong = await ask(chat, '/kill on symbol:SOL');
    expect(wrong.text).toContain('there is no market SOL; did you mean SOLUSDT?');
    expect(wrong.buttons).toEqual([]);
    const { shown } = await press(chat, await ask(chat, '/kill on strategy:NEVER'), 'Yes');
    expect(shown?.text).toContain('KILL SWITCH ON');
    expect(shown?.text).toContain('no signal ever traded under "NEVER"; names are compared exactly');
    await press(chat, await ask(chat, '/kill off strategy:NEVER'), 'Yes');
  });

  it('stops it, withdraws its entries and closes its shares, and nothing else', async () => {
    await entry({ quantity: 2 });
    await gateway.send({ symbol: 'SOLUSDT', quantity: 1, strategy: 'other' });
    const resting = await entry({ price: 10 });
    const question = await ask(chat, `/kill on strategy:${STRATEGY} flatten`);
    expect(question.text).toContain(`Really turn the kill switch of strategy:${STRATEGY} ON (all)?`);
    expect(question.text).toContain('ITS POSITIONS ARE CLOSED at market.');
    const { shown } = await press(chat, question, 'Yes');
    expect(shown?.text).toContain('KILL SWITCH ON');
    expect(shown?.text).toContain('Entries withdrawn: 1.');
    expect((await gateway.trade(resting.body.requestId)).status).toBe('Canceled');
    const [position] = (await gateway.request('GET', '/positions')).body.result;
    expect(position.quantity).toBe(1);
    expect((await entry()).body.code).toBe('KILL_SWITCH_ACTIVE');
    expectFilled(await gateway.send({ symbol: 'SOLUSDT', quantity: 1, strategy: 'other' }));
    expect(gateway.controls.current().killSwitch.active).toBe(false);
    await press(chat, await ask(chat, `/kill off strategy:${STRATEGY}`), 'Yes');
    expectFilled(await entry());
  });

  it.each([
    ['/kill off strategy:quiet', 'is off. Nothing to change.'],
    ['/kill on key:nobody', 'there is no webhook key'],
    ['/kill on strategy:a all entries', 'Use /kill on'],
  ])('%s changes nothing', async (text, words) => {
    expect((await ask(chat, text)).text).toContain(words);
    expect(await rows()).toEqual([]);
  });
});
