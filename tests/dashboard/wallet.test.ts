// The wallet in a real browser over a real node: balances, transactions, and a swap that asks for the wallet's own token each time.

import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type DashboardBrowser,
  expectAccessible,
  LOST_SERVER,
  REFUSALS,
  startDashboard,
} from '../support/dashboard-browser.ts';
import { builderOn } from '../support/evm/builder.ts';
import { type EvmNode, startEvmNode } from '../support/evm/evm-node.ts';
import { oddTokenCode } from '../support/evm/odd-token.ts';
import { loseNextAnswer } from '../support/lost-answer.ts';

const SETUP_TIMEOUT_MS = 300_000;
const WAIT = { timeout: 30_000 };
const WALLET_TOKEN = 'token-of-the-wallet-0123456789';

let node: EvmNode;
let token: string;
let dashboard: DashboardBrowser;
beforeAll(async () => {
  node = await startEvmNode();
  const [owner] = node.accounts;
  const builder = builderOn(node.rpc, owner.address);
  token = await builder.deployCode(oddTokenCode({ symbol: 'PLAY', decimals: 6, supply: 1_234_500_000n }));
  const wallet = { RPC_ETHEREUM: node.url, WALLET_PRIVATE_KEY: owner.privateKey, WALLET_TOKEN };
  dashboard = await startDashboard({ env: { SERVICES: 'gateway,dashboard', ...wallet } });
}, SETUP_TIMEOUT_MS);
afterAll(() => node.kill());

const open = async (options = {}) => {
  const opened = await dashboard.open({ place: '#/wallet', ...options });
  await opened.page.getByRole('table', { name: 'Balances' }).waitFor(WAIT);
  return opened;
};

/** What a server with the pools of the real chain would answer. */
const quoteOf = (tokenOut: string) => ({
  ...{ chain: 'ethereum', tokenIn: 'native', tokenOut, amountIn: '500000000000000000', amountOut: '1000500000' },
  ...{ minAmountOut: '995497500', slippageBps: 50, priceImpactBps: 12, protocol: 'uniswap-v2', router: token },
  ...{ path: [token, tokenOut], feesPath: [] },
});

test('shows the account, what it holds, and what it has sent', async () => {
  const { page, complaints } = await open();
  const [owner, , receiver] = node.accounts;
  await page.getByText(owner.address).waitFor(WAIT);
  await page.getByText('This wallet has sent nothing on ethereum yet.').waitFor(WAIT);
  const paid = await fetch(`${dashboard.signalbox.url}/wallet/send`, {
    ...{ method: 'POST', headers: { 'x-wallet-token': WALLET_TOKEN } },
    body: JSON.stringify({ chain: 'ethereum', to: receiver.address, value: '250000000000000000' }),
  });
  expect(paid.status).toBe(200);
  const row = page.getByRole('table', { name: 'Transactions' }).getByRole('row', { name: /send/ });
  await row.getByText('0.25').waitFor(WAIT);
  await page.getByLabel('Add a token').fill('0x12');
  await page.getByText('0x and 40 digits').waitFor(WAIT);
  await page.getByLabel('Add a token').fill(token);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('table', { name: 'Balances' }).getByText('1,234.5').waitFor(WAIT);
  await expectAccessible(page);
  expect(complaints).toEqual([]);
});

test('a chain without an endpoint says what to set', async () => {
  const { page, complaints } = await open();
  await page.getByRole('radio', { name: 'polygon' }).check();
  await page.getByText('The wallet does not know polygon yet').waitFor(WAIT);
  await page.getByText('RPC_POLYGON=https://…').waitFor(WAIT);
  await page.getByRole('radio', { name: 'ethereum' }).check();
  await page.getByRole('table', { name: 'Balances' }).waitFor(WAIT);
  expect(complaints).toEqual([]);
});

test('quotes, and swaps only with the wallet’s token, which is asked for each time', async () => {
  const { page } = await open({ expected: REFUSALS });
  await page.getByLabel('Add a token').fill(token);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByLabel('Get', { exact: true }).selectOption({ label: 'PLAY' }, WAIT);
  await page.getByLabel('Amount').fill('0,5');
  await page.getByText('A plain amount').waitFor(WAIT);
  await page.getByLabel('Amount').fill('0.5');
  await page.getByRole('button', { name: 'Get a quote' }).click();
  // This node has no pools: the server says so in its own words.
  await page.getByRole('alert').waitFor(WAIT);
  await page.route('**/wallet/quote', (route) => route.fulfill({ json: { success: true, result: quoteOf(token) } }));
  await page.getByRole('button', { name: 'Get a quote' }).click();
  await page.getByText('995.4975 PLAY').waitFor(WAIT);
  await page.getByText('0.12 %').waitFor(WAIT);
  await page.getByRole('button', { name: 'Swap…' }).click();
  const question = page.getByRole('dialog', { name: 'Swap for real?' });
  const yes = question.getByRole('button', { name: 'Swap', exact: true });
  expect(await yes.isDisabled()).toBe(true);
  await question.getByLabel('Wallet token').fill('a wrong one');
  await yes.click();
  await question.getByRole('alert').getByText('Wrong wallet token').waitFor(WAIT);
  await question.getByLabel('Wallet token').fill(WALLET_TOKEN);
  // With the right one the server goes on, and refuses for want of a pool.
  const refusal = page.waitForResponse('**/wallet/swap');
  await yes.click();
  expect((await refusal).status()).not.toBe(401);
  const sent: { token: string | undefined; body: Record<string, unknown> }[] = [];
  await page.route('**/wallet/swap', async (route) => {
    sent.push({ token: route.request().headers()['x-wallet-token'], body: route.request().postDataJSON() });
    await route.fulfill({ json: { success: true, result: {} } });
  });
  await yes.click();
  await question.waitFor({ state: 'hidden', ...WAIT });
  expect(sent).toMatchObject([
    { token: WALLET_TOKEN, body: { amountIn: '500000000000000000', minAmountOut: '995497500', slippageBps: 50 } },
  ]);
  expect(sent[0]?.body.idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
  await page.getByRole('button', { name: 'Swap…' }).click();
  expect(await question.getByLabel('Wallet token').inputValue()).toBe('');
});

test('transfers, approves and calls, each after a look at it and with the wallet’s own token', async () => {
  const { page } = await open({ expected: REFUSALS });
  const [, , receiver] = node.accounts;
  await page.getByLabel('Add a token').fill(token);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  const balances = page.getByRole('table', { name: 'Balances' });
  await balances.getByText('1,234.5').waitFor(WAIT);
  const panel = page.getByRole('region', { name: 'Transfer, approve, call' });
  const transactions = page.getByRole('table', { name: 'Transactions' });
  const confirm = async (title: string, yes: string): Promise<void> => {
    const question = page.getByRole('dialog', { name: title });
    await question.getByText(receiver.address).waitFor(WAIT);
    await question.getByLabel('Wallet token').fill(WALLET_TOKEN);
    await question.getByRole('button', { name: yes, exact: true }).click();
    await question.waitFor({ state: 'hidden', ...WAIT });
  };

  await panel.getByLabel('Coin').selectOption({ label: 'PLAY' });
  await panel.getByLabel('To', { exact: true }).fill('0x12');
  await panel.getByText('The receiver is an address').waitFor(WAIT);
  await panel.getByLabel('To', { exact: true }).fill(receiver.address);
  await panel.getByLabel('How much').fill('5000');
  await panel.getByText('The wallet holds 1,234.5 PLAY.').waitFor(WAIT);
  expect(await panel.getByRole('button', { name: 'Transfer…' }).isDisabled()).toBe(true);
  await panel.getByLabel('How much').fill('34.5');
  await panel.getByRole('button', { name: 'Transfer…' }).click();
  const question = page.getByRole('dialog', { name: 'Transfer for real?' });
  await question.getByText('34.5 PLAY').waitFor(WAIT);
  expect(await question.getByRole('button', { name: 'Transfer', exact: true }).isDisabled()).toBe(true);
  await question.getByLabel('Wallet token').fill('a wrong one');
  await question.getByRole('button', { name: 'Transfer', exact: true }).click();
  await question.getByRole('alert').getByText('Wrong wallet token').waitFor(WAIT);
  await expectAccessible(page);
  await confirm('Transfer for real?', 'Transfer');
  await transactions.getByRole('row', { name: /transfer/ }).waitFor(WAIT);
  await expect
    .poll(
      async () => {
        await page.getByRole('button', { name: 'Look again' }).click();
        return balances.innerText();
      },
      { timeout: 60_000, interval: 1_000 },
    )
    .toContain('1,200');

  await panel.getByRole('button', { name: 'Approve', exact: true }).click();
  await panel.getByLabel('Spender').fill(receiver.address);
  await panel.getByLabel('At most').fill('0');
  await panel.getByRole('button', { name: 'Approve…' }).click();
  await page.getByRole('dialog').getByText('It takes the permission away').waitFor(WAIT);
  await page.getByRole('dialog').getByRole('button', { name: 'Not now' }).click();
  await panel.getByLabel('At most').fill('10');
  await panel.getByRole('button', { name: 'Approve…' }).click();
  await page.getByRole('dialog').getByText('10 PLAY at most').waitFor(WAIT);
  await confirm('Approve for real?', 'Approve');
  await transactions.getByRole('row', { name: /approve/ }).waitFor(WAIT);

  await panel.getByRole('button', { name: 'Call', exact: true }).click();
  await panel.getByLabel('To', { exact: true }).fill(receiver.address);
  await panel.getByLabel('Encoded call').fill('0xabc');
  await panel.getByText('an even number of hex digits').waitFor(WAIT);
  await panel.getByLabel('Encoded call').fill('');
  await panel.getByLabel('Coin of the chain to send').fill('0.125');
  await panel.getByRole('button', { name: 'Send…' }).click();
  await confirm('Send for real?', 'Send');
  await transactions.getByRole('row', { name: /send/ }).getByText('0.125').waitFor(WAIT);
}, 180_000);

test('a transfer whose answer was lost is signed once, also from a question opened anew, after the page was loaded again', async () => {
  const { page } = await open({ expected: [...REFUSALS, ...LOST_SERVER] });
  const [, , , receiver] = node.accounts;
  const panel = page.getByRole('region', { name: 'Transfer, approve, call' });
  const question = page.getByRole('dialog', { name: 'Transfer for real?' });
  const transfers = async (): Promise<number> => {
    const response = await fetch(`${dashboard.signalbox.url}/wallet/transactions`, {
      ...{ method: 'POST', body: JSON.stringify({ chain: 'ethereum' }) },
    });
    const { result } = (await response.json()) as { result: readonly { to: string }[] };
    return result.filter(({ to }) => to?.toLowerCase() === receiver?.address.toLowerCase()).length;
  };
  const write = async (): Promise<void> => {
    await panel.getByLabel('To', { exact: true }).fill(receiver?.address ?? '', WAIT);
    await panel.getByLabel('How much').fill('0.0625');
    await panel.getByRole('button', { name: 'Transfer…' }).click();
  };
  const sign = async (): Promise<void> => {
    await question.getByLabel('Wallet token').fill(WALLET_TOKEN);
    await question.getByRole('button', { name: 'Transfer', exact: true }).click();
  };
  await loseNextAnswer(page, 'POST', /\/wallet\/transfer$/);
  await write();
  await sign();
  await question.getByRole('alert').getByText('You can send it again from this tab').waitFor(WAIT);
  await question.getByRole('button', { name: 'Not now' }).click();
  await page.reload();
  await write();
  await question.getByRole('note').getByText('Sent again it is done once at most').waitFor(WAIT);
  // A refusal of this try says nothing about the first one.
  await question.getByLabel('Wallet token').fill('a wrong one');
  await question.getByRole('button', { name: 'Transfer', exact: true }).click();
  await question.getByRole('alert').getByText('Wrong wallet token').waitFor(WAIT);
  await sign();
  await question.getByRole('alert').getByText('nothing new was signed').waitFor(WAIT);
  await expectAccessible(page);
  expect(await transfers()).toBe(1);
  // It is certain now: the same payment once more is another one.
  await question.getByRole('button', { name: 'Not now' }).click();
  await write();
  expect(await question.getByRole('note').count()).toBe(0);
  await sign();
  await question.waitFor({ state: 'hidden', ...WAIT });
  expect(await transfers()).toBe(2);
}, 120_000);

test.each([
  ['light', 1440],
  ['light', 1024],
  ['dark', 390],
] as const)('is for everybody: %s, %i px wide', async (colorScheme, width) => {
  const { page, complaints } = await open({ colorScheme, width });
  await expectAccessible(page);
  expect(await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')).toBe(
    false,
  );
  expect(complaints).toEqual([]);
});
