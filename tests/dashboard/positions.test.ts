// Positions in a real browser: shares, stops that are set, moved and taken away, closing a part, and closing everything.

import { beforeAll, describe, expect, test } from 'vitest';
import {
  type DashboardBrowser,
  expectAccessible,
  LOST_SERVER,
  REFUSALS,
  startDashboard,
} from '../support/dashboard-browser.ts';
import { loseNextAnswer } from '../support/lost-answer.ts';

/** A first run may have to install the browser. */
const SETUP_TIMEOUT_MS = 300_000;
const WAIT = { timeout: 30_000 };

let dashboard: DashboardBrowser;
beforeAll(async () => {
  dashboard = await startDashboard();
}, SETUP_TIMEOUT_MS);

interface Held {
  readonly key: string;
  readonly market: string;
  readonly quantity: number;
  readonly protections: readonly { readonly strategy: string | null; readonly stopLoss: { price: number } | null }[];
}
const held = async (): Promise<readonly Held[]> =>
  ((await (await fetch(`${dashboard.signalbox.url}/positions`)).json()) as { result: readonly Held[] }).result;
const KEY = 'binance:ETHUSDT:LONG';
const ONE = `#/positions/${encodeURIComponent(KEY)}`;

test('without a position the page says so, also that of one that is gone', async () => {
  const { page, complaints } = await dashboard.open({ place: '#/positions' });
  await page.getByText('Nothing is held').waitFor(WAIT);
  await page.goto(`${dashboard.signalbox.url}/${ONE}`);
  await page.getByText(`${KEY} is not held`).waitFor(WAIT);
  await page.getByRole('link', { name: 'what was traded there' }).click();
  await page.getByText('No trade fits').waitFor(WAIT);
  expect(page.url()).toContain('market=ETHUSDT');
  expect(complaints).toEqual([]);
});

describe('one position', () => {
  beforeAll(async () => {
    await dashboard.signal({ symbol: 'ETHUSDT', quantity: 2, strategy: 'ema-cross' });
    await dashboard.signal({ symbol: 'ETHUSDT', quantity: 1, strategy: 'mean-rev', stopLoss: { percent: 10 } });
  });

  test('is reached from the list, with the shares of its strategies', async () => {
    const { page, complaints } = await dashboard.open({ place: '#/positions' });
    await page.getByRole('table', { name: 'Positions' }).getByRole('link', { name: 'ETHUSDT' }).click(WAIT);
    const shares = page.getByRole('table', { name: 'Shares' });
    await shares.getByText('ema-cross').waitFor(WAIT);
    expect(await shares.locator('tbody tr').count()).toBe(2);
    await page.getByText('Liquidation').waitFor(WAIT);
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  test('gets a stop for one share, says before what it will do, moves it and takes it away', async () => {
    const { page, complaints } = await dashboard.open({ place: ONE });
    const stopOf = async (strategy: string) =>
      (await held()).flatMap(({ protections }) => protections).find((each) => each.strategy === strategy)?.stopLoss
        ?.price;
    await page.getByRole('button', { name: 'Set the stops of ema-cross' }).click(WAIT);
    const form = page.getByRole('dialog', { name: 'Stops of LONG ETHUSDT' });
    expect(await form.getByRole('button', { name: 'Set the stops' }).isDisabled()).toBe(true);
    await form.getByLabel('Stop loss', { exact: true }).fill('1000');
    await form.getByText(/The stop is set to 1000, which closes 2 at about −[\d,.]+ USDT/).waitFor(WAIT);
    await expectAccessible(page);
    await form.getByRole('button', { name: 'Set the stops' }).click();
    await form.waitFor({ state: 'hidden', ...WAIT });
    expect(await stopOf('ema-cross')).toBe(1000);

    await page.getByRole('button', { name: 'Change the stops of ema-cross' }).click(WAIT);
    await form.getByLabel('Stop loss', { exact: true }).fill('1100');
    await form.getByText('The stop moves from 1000 to 1100').waitFor(WAIT);
    await form.getByRole('button', { name: 'Change the stops' }).click();
    await form.waitFor({ state: 'hidden', ...WAIT });
    expect(await stopOf('ema-cross')).toBe(1100);

    await dashboard.signal({ symbol: 'ETHUSDT', quantity: 1, strategy: 'ema-cross', price: 1000, stopLoss: 900 });
    await page.getByText('waits for the fill of').waitFor(WAIT);
    await page.getByRole('button', { name: 'Take away the stops of ema-cross' }).click(WAIT);
    const question = page.getByRole('dialog', { name: 'Take the stops of LONG ETHUSDT away?' });
    await question.getByText('guarded by nothing then').waitFor(WAIT);
    await question.getByText('1 entry that waits loses its stops too, and will fill without any.').waitFor(WAIT);
    await question.getByRole('button', { name: 'Take them away' }).click();
    await page.getByRole('button', { name: 'Set the stops of ema-cross' }).waitFor(WAIT);
    expect(await stopOf('ema-cross')).toBeUndefined();
    await fetch(`${dashboard.signalbox.url}/orders/cancel`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"all":true}' },
    });
    // The other share keeps its own.
    expect(await stopOf('mean-rev')).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
  });

  test('gets several targets in place of one, changes one of them, and has them taken away', async () => {
    const { page, complaints } = await dashboard.open({ place: ONE });
    const guard = async () =>
      (await held()).flatMap(({ protections }) => protections).find((each) => each.strategy === 'mean-rev');
    const change = async (): Promise<void> => {
      await form.getByRole('button', { name: 'Change the stops' }).click();
      await form.waitFor({ state: 'hidden', ...WAIT });
    };
    await page.getByRole('button', { name: 'Change the stops of mean-rev' }).click(WAIT);
    const form = page.getByRole('dialog', { name: 'Stops of LONG ETHUSDT' });
    await form.getByLabel('Take profit', { exact: true }).fill('50');
    await form.getByLabel('Unit of the take profit').selectOption('percent');
    await form.getByRole('button', { name: 'Several targets' }).click();
    expect(await form.getByLabel('Target 1', { exact: true }).inputValue()).toBe('50');
    await form.getByText('target 2 needs a number above 0').waitFor(WAIT);
    expect(await form.getByRole('button', { name: 'Change the stops' }).isDisabled()).toBe(true);
    await form.getByLabel('Target 2', { exact: true }).fill('80');
    await form.getByLabel('Share of target 2, percent').fill('30');
    await form.getByRole('button', { name: 'Add a target' }).click();
    expect(await form.getByLabel('Share of target 3, percent').inputValue()).toBe('20');
    await form.getByLabel('Target 3', { exact: true }).fill('90');
    await form.getByLabel('Stop to the entry price').selectOption('1');
    await form.getByText(/Targets: 50 % closes 50 % at about \+[\d,.]+ USDT/).waitFor(WAIT);
    await form.getByText('The stop moves to entry after the first target.').waitFor(WAIT);
    await expectAccessible(page);
    await change();
    expect(await guard()).toMatchObject({
      targets: [{ share: 0.5 }, { share: 0.3 }, { share: 0.2 }],
      ...{ breakEvenAfter: 1, takeProfit: null },
    });
    const shares = page.getByRole('table', { name: 'Shares' });
    await shares.getByText(/^first target [\d,.]+ closes 50 %$/).waitFor(WAIT);
    await shares.getByText('stop moves to entry after the first target').waitFor(WAIT);

    await page.getByRole('button', { name: 'Change the stops of mean-rev' }).click(WAIT);
    await form.getByRole('button', { name: 'Remove target 3' }).click();
    await form.getByText('20 % stays open').waitFor(WAIT);
    await change();
    expect(await guard()).toMatchObject({ targets: [{ share: 0.5 }, { share: 0.3 }], breakEvenAfter: 1 });

    await page.getByRole('button', { name: 'Change the stops of mean-rev' }).click(WAIT);
    for (const target of [2, 1]) await form.getByRole('button', { name: `Remove target ${target}` }).click();
    await form.getByText('The targets are taken away.').waitFor(WAIT);
    await change();
    const left = await guard();
    expect(left).toMatchObject({ targets: [] });
    expect(left?.stopLoss?.price).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
  });

  test('refuses a stop on the wrong side in the server’s own words, and keeps what was typed', async () => {
    const { page } = await dashboard.open({ expected: REFUSALS, place: ONE });
    await page.getByRole('button', { name: 'Set the stops of ema-cross' }).click(WAIT);
    const form = page.getByRole('dialog');
    await form.getByLabel('Stop loss', { exact: true }).fill('999999');
    await form.getByRole('button', { name: 'Set the stops' }).click();
    await form.getByRole('alert').waitFor(WAIT);
    expect(await form.getByRole('alert').textContent()).toContain('stop');
    expect(await form.getByLabel('Stop loss', { exact: true }).inputValue()).toBe('999999');
    expect(await form.getByText('is no number').count()).toBe(0);
    // What was refused was something else.
    await form.getByLabel('Stop loss', { exact: true }).fill('-1');
    await form.getByText('is no number above 0').waitFor(WAIT);
    expect(await form.getByRole('alert').count()).toBe(0);
    expect(await form.getByRole('button', { name: 'Set the stops' }).isDisabled()).toBe(true);
  });

  test('is closed by half after a question that names the money', async () => {
    const { page, complaints } = await dashboard.open({ place: ONE });
    await page.getByRole('button', { name: 'Close…' }).click(WAIT);
    const question = page.getByRole('dialog', { name: 'Close LONG ETHUSDT?' });
    await question.getByLabel('How much').selectOption('50');
    await question.getByText('About 1.5 of 3').waitFor(WAIT);
    await question.getByText('PAPER money').waitFor(WAIT);
    await question.getByRole('button', { name: 'Close 50 %' }).click();
    await question.waitFor({ state: 'hidden', ...WAIT });
    await expect.poll(async () => (await held()).map(({ quantity }) => quantity), WAIT).toEqual([1.5]);
    expect(complaints).toEqual([]);
  });
});

test('a half whose answer was lost is closed once, also by a question opened anew', async () => {
  await dashboard.signal({ symbol: 'LTCUSDT', quantity: 8, exchange: 'bybit' });
  const ltc = async () => (await held()).filter(({ market }) => market === 'LTCUSDT').map(({ quantity }) => quantity);
  const { page } = await dashboard.open({
    place: `#/positions/${encodeURIComponent('bybit:LTCUSDT:LONG')}`,
    expected: [...REFUSALS, ...LOST_SERVER],
  });
  const question = page.getByRole('dialog', { name: 'Close LONG LTCUSDT?' });
  const askForHalf = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Close…' }).click(WAIT);
    await question.getByLabel('How much').selectOption('50');
  };
  const close = () => question.getByRole('button', { name: 'Close 50 %' }).click();
  await loseNextAnswer(page, 'POST', /\/positions\/close$/);
  await askForHalf();
  await close();
  await question.getByRole('alert').getByText('You can send it again from this tab').waitFor(WAIT);
  expect(await ltc()).toEqual([4]);
  await question.getByRole('button', { name: 'Keep it' }).click();
  await askForHalf();
  await question.getByRole('note').getByText('Sent again it is done once at most').waitFor(WAIT);
  await close();
  await question.getByRole('alert').getByText('The close was sent already').waitFor(WAIT);
  expect(await ltc()).toEqual([4]);
  await question.getByRole('button', { name: 'Keep it' }).click();
  await askForHalf();
  await close();
  await question.waitFor({ state: 'hidden', ...WAIT });
  await expect.poll(ltc, WAIT).toEqual([2]);
  await dashboard.signal({ symbol: 'LTCUSDT', action: 'CLOSE_LONG', quantity: 2, exchange: 'bybit' });
});

test('a close of which the exchange does not say what became is sent again under its own key', async () => {
  await dashboard.signal({ symbol: 'LTCUSDT', quantity: 8, exchange: 'bybit' });
  const key = 'bybit:LTCUSDT:LONG';
  const { page, complaints } = await dashboard.open({ place: `#/positions/${encodeURIComponent(key)}` });
  const sent: unknown[] = [];
  await page.route(/\/positions\/close$/, async (route) => {
    sent.push((route.request().postDataJSON() as { idempotencyKey: string }).idempotencyKey);
    const error = `no clear answer to number ${sent.length}`;
    await route.fulfill({ json: { success: true, requestId: 'x', result: [{ key, status: 'Unknown', error }] } });
  });
  await page.getByRole('button', { name: 'Close…' }).click(WAIT);
  const question = page.getByRole('dialog', { name: 'Close LONG LTCUSDT?' });
  for (const times of [1, 2]) {
    await question.getByRole('button', { name: 'Close it' }).click();
    await question.getByRole('alert').getByText(`no clear answer to number ${times}`).waitFor(WAIT);
  }
  expect(sent).toEqual([expect.any(String), sent[0]]);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await dashboard.signal({ symbol: 'LTCUSDT', action: 'CLOSE_LONG', quantity: 8, exchange: 'bybit' });
  expect(complaints).toEqual([]);
});

test('shares that stand against each other are told apart, and what was realized before is not taken for the position’s own', async () => {
  const xrp = { symbol: 'XRPUSDT', exchange: 'bybit' };
  await dashboard.signal({ ...xrp, quantity: 500 });
  await dashboard.signal({ ...xrp, quantity: 500, action: 'CLOSE_LONG' });
  await dashboard.signal({ ...xrp, quantity: 500, strategy: 'up' });
  await dashboard.signal({ ...xrp, quantity: 100, strategy: 'down', action: 'SHORT' });
  const { page, complaints } = await dashboard.open({ place: '#/positions' });
  const row = page.getByRole('row', { name: /XRPUSDT/ });
  await row.getByText('down SHORT 100').waitFor(WAIT);
  // The question goes on telling what is held while it stands.
  await row.getByRole('button', { name: 'Close LONG XRPUSDT' }).click();
  const question = page.getByRole('dialog', { name: 'Close LONG XRPUSDT?' });
  await question.getByText('400 at the market').waitFor(WAIT);
  await dashboard.signal({ ...xrp, quantity: 100, strategy: 'down', action: 'CLOSE_SHORT' });
  await question.getByText('500 at the market').waitFor(WAIT);
  await question.getByRole('button', { name: 'Keep it' }).click();
  await row.getByRole('link', { name: 'XRPUSDT' }).click();
  await page.getByText(/^before [\d.]+ fees, with earlier positions$/).waitFor(WAIT);
  await dashboard.signal({ ...xrp, quantity: 500, strategy: 'up', action: 'CLOSE_LONG' });
  expect(complaints).toEqual([]);
});

describe('all of them', () => {
  test('that nothing guards are behind their figure', async () => {
    await dashboard.signal({ symbol: 'BTCUSDT', quantity: 0.01, stopLoss: { percent: 10 } });
    const { page, complaints } = await dashboard.open({ place: '#/positions' });
    const positions = page.getByRole('table', { name: 'Positions' });
    await positions.getByText('BTCUSDT').waitFor(WAIT);
    await page.getByRole('link', { name: 'Without a stop' }).click();
    await positions.getByText('BTCUSDT').waitFor({ state: 'hidden', ...WAIT });
    expect(await positions.locator('tbody tr').count()).toBe(1);
    // A target alone is no stop.
    await dashboard.signal({ symbol: 'SOLUSDT', quantity: 1, takeProfit: { percent: 50 } });
    await positions.getByText('SOLUSDT').waitFor(WAIT);
    await dashboard.signal({ symbol: 'SOLUSDT', quantity: 1, action: 'CLOSE_LONG' });
    await page.getByRole('link', { name: 'All positions' }).click();
    await positions.getByText('BTCUSDT').waitFor(WAIT);
    await dashboard.signal({ action: 'CLOSE_LONG' });
    expect(complaints).toEqual([]);
  });

  test('without a stop cannot be overlooked, and lead to where one is set', async () => {
    await dashboard.signal({ symbol: 'LTCUSDT', quantity: 1 });
    const { page, complaints } = await dashboard.open({ place: '#/positions' });
    const row = page.getByRole('row', { name: /LTCUSDT/ });
    await row.locator('.chip.warn').getByText('no stop').waitFor(WAIT);
    await row.getByRole('link', { name: 'set one' }).click();
    await page.getByRole('button', { name: 'Set the stops of no strategy' }).waitFor(WAIT);
    await page.getByRole('table', { name: 'Shares' }).locator('.chip.warn').waitFor(WAIT);
    await dashboard.signal({ symbol: 'LTCUSDT', quantity: 1, action: 'CLOSE_LONG' });
    expect(complaints).toEqual([]);
  });

  test('of which the price is not known are not added up as nothing', async () => {
    const { page } = await dashboard.open();
    await page.route(/\/positions$/, async (route) => {
      const answer = await (await route.fetch()).json();
      const [first] = answer.result;
      answer.result = [
        { ...first, unrealizedPnl: 5, markPrice: 10, margin: 3 },
        {
          ...first,
          key: 'binance:SOLUSDT:LONG',
          market: 'SOLUSDT',
          markPrice: null,
          unrealizedPnl: null,
          margin: null,
        },
      ];
      await route.fulfill({ json: answer });
    });
    await page.goto(`${dashboard.signalbox.url}/#/positions`);
    await page.getByText('not known for SOLUSDT').first().waitFor(WAIT);
    // What they are worth, their profit, and what they bind.
    expect(await page.getByText('not known for SOLUSDT').count()).toBe(3);
    expect(await page.getByText('+5.00').count()).toBe(1);
  });

  test('have their stops at the edge of a chart that does not reach them', async () => {
    await dashboard.signal({ symbol: 'BNBUSDT', quantity: 1, stopLoss: { percent: 60 } });
    const { page } = await dashboard.open();
    await page.addInitScript(`
      globalThis.written = new Set();
      const write = CanvasRenderingContext2D.prototype.fillText;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
        globalThis.written.add(text);
        return write.call(this, text, ...rest);
      };`);
    await page.goto(`${dashboard.signalbox.url}/#/chart/BNBUSDT`);
    await page.reload();
    const written = () => page.evaluate<string[]>('[...globalThis.written]');
    await expect.poll(written, WAIT).toContainEqual(expect.stringMatching(/^↓ stop [\d,.]+$/));
    await dashboard.signal({ symbol: 'BNBUSDT', quantity: 1, action: 'CLOSE_LONG' });
  });

  test.each([
    ['light', 1440],
    ['dark', 1024],
    ['light', 390],
  ] as const)('are for everybody: %s, %i px wide', async (colorScheme, width) => {
    const { page, complaints } = await dashboard.open({ colorScheme, width, place: '#/positions' });
    await page.getByRole('table', { name: 'Positions' }).waitFor(WAIT);
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')).toBe(
      false,
    );
    expect(complaints).toEqual([]);
  });

  test('are closed at once, and only after a question', async () => {
    // The longest name of a strategy pushes no button out of the list.
    const strategy = 'a'.repeat(64);
    await dashboard.signal({ symbol: 'SOLUSDT', exchange: 'bybit', quantity: 5, action: 'SHORT', strategy });
    const { page, complaints } = await dashboard.open({ place: '#/positions' });
    await page.getByText(strategy).waitFor(WAIT);
    expect(
      await page.evaluate(
        "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.table'))",
      ),
    ).toBe(0);
    await page.getByRole('button', { name: 'Close all 2…' }).click(WAIT);
    const question = page.getByRole('dialog', { name: 'Close every position?' });
    await question.getByText('PAPER money').waitFor(WAIT);
    await question.getByRole('button', { name: 'Keep them' }).click();
    await question.waitFor({ state: 'hidden', ...WAIT });
    expect(await held()).toHaveLength(2);
    await page.getByRole('button', { name: 'Close all 2…' }).click();
    await question.getByRole('button', { name: 'Close all 2' }).click();
    await page.getByText('Nothing is held').waitFor(WAIT);
    expect(await held()).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
