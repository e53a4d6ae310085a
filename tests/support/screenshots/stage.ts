// A Signalbox to look at: a week of trading behind it, positions and orders, scripts, a deployment, a model that answers, and a wallet.

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { builderOn } from '../evm/builder.ts';
import { startEvmNode } from '../evm/evm-node.ts';
import { oddTokenCode } from '../evm/odd-token.ts';
import { KEY, type ModelServer, startModelServer } from '../model-servers/model-server.ts';
import { openaiProtocol } from '../model-servers/openai-protocol.ts';
import { prepareMovedClock } from '../moved-clock/index.ts';
import { freshDataDir, type RunningProcess, startProcess } from '../process.ts';
import { PlayedWeek, sendSignal, WEEK_MS } from './played-week.ts';

const ROOT = new URL('../../../', import.meta.url);
const WALLET_TOKEN = 'token-of-the-wallet-0123456789';
/** A quarter of an ETH. */
const SENT_WEI = '250000000000000000';
/** So that what happened at the present has times of its own. */
const BETWEEN_SIGNALS_MS = 3_000;
/** Bars of a minute: one after the other ends, and the deployment has something to say. */
const DEPLOYED_FOR_MS = 150_000;

const fileOf = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');
const SCRIPTS = [
  { name: 'Strategies/Bands', content: fileOf('tests/support/screenshots/bands.pine') },
  { name: 'Strategies/EMA cross', content: fileOf('examples/pine/ema-cross-strategy.pine') },
  { name: 'Indicators/RSI', content: fileOf('tests/support/screenshots/rsi.pine') },
  { name: 'Indicators/Levels', content: fileOf('examples/pine/levels.pine') },
  { name: 'Indicators/Momentum', content: fileOf('examples/pine/momentum.pine') },
];
/** The first is quick enough for a picture of a few minutes. */
const DEPLOYED = [
  {
    ...{ script: 'EMA cross', name: 'EMA cross 1m', symbol: 'SOLUSDT', interval: '1m' },
    inputs: { 'Fast length': 2, 'Slow length': 4 },
  },
  { script: 'Bands', name: 'Bands 4h', symbol: 'BTCUSDT', interval: '4h', inputs: {} },
  { script: 'EMA cross', name: 'EMA cross 1h', symbol: 'AVAXUSDT', interval: '1h', inputs: {} },
];

/** What is there at the present: positions with stops and one without, a signal that is refused, and an order that rests. */
const BREAKOUT = { strategy: 'breakout', symbol: 'ETHUSDT', exchange: 'bybit', action: 'SHORT', quantity: 6 };
const SIGNALS: readonly object[] = [
  {
    strategy: 'mean',
    symbol: 'AVAXUSDT',
    exchange: 'mexc',
    action: 'SHORT',
    quantity: 400,
    takeProfit: { percent: 6 },
  },
  { strategy: 'ema-cross', symbol: 'BTCUSDT', exchange: 'binance', action: 'LONG', quantity: 0.4, trailPercent: 1.2 },
  { ...BREAKOUT, stopLoss: { percent: 1.5 }, takeProfit: { percent: 3 } },
  { strategy: 'mean', symbol: 'DOGE', exchange: 'binance', action: 'LONG', quantity: 10 },
  { strategy: 'mean', symbol: 'BTCUSDT', exchange: 'bybit', action: 'LONG', quantity: 0.2, price: 50_000 },
];

const QUERIES = {
  'Fees by market': 'SELECT market, sum(CAST(fee AS REAL)) AS fees\nFROM fills\nGROUP BY market\nORDER BY fees DESC',
  'Slowest trades':
    'SELECT market, action, received_at, updated_at\nFROM trades\nORDER BY updated_at - received_at DESC\nLIMIT 20',
};

export interface Stage {
  readonly signalbox: RunningProcess;
  readonly model: ModelServer;
  /** What a browser remembers that has been used for a while. */
  readonly remembered: Readonly<Record<string, string>>;
  readonly deploymentId: string;
  close(): Promise<void>;
}

export async function openStage(): Promise<Stage> {
  const dataDir = freshDataDir();
  const clock = await prepareMovedClock(`${dataDir}.clock`);
  const model = await startModelServer(openaiProtocol);
  const node = await startEvmNode();
  const [{ address, privateKey }] = node.accounts;
  const token = await builderOn(node.rpc, address).deployCode(
    oddTokenCode({ symbol: 'USDC', decimals: 6, supply: 4_250_500_000n }),
  );
  clock.move(-WEEK_MS);
  const agent = { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: model.url };
  const wallet = { RPC_ETHEREUM: node.url, WALLET_PRIVATE_KEY: privateKey, WALLET_TOKEN };
  const signalbox = await startProcess({ dataDir, env: { ...clock.env, ...agent, ...wallet } });
  await new PlayedWeek(clock, signalbox).play();
  const send = { chain: 'ethereum', to: node.accounts[2].address, value: SENT_WEI };
  await ask(signalbox, '/wallet/send', { body: send, headers: { 'x-wallet-token': WALLET_TOKEN } });
  for (const [name, sql] of Object.entries(QUERIES))
    await ask(signalbox, `/admin/layouts/query/${encodeURIComponent(name)}`, {
      method: 'PUT',
      body: { content: { sql } },
    });
  await ask(signalbox, '/admin/webhook-keys', { body: { label: 'tradingview' } });
  const { scriptKey, scripts, deploymentId } = await fillLibrary(signalbox);
  for (const fields of SIGNALS) {
    await sendSignal(signalbox, fields);
    await sleep(BETWEEN_SIGNALS_MS);
  }
  await sleep(DEPLOYED_FOR_MS);
  return {
    ...{ signalbox, model, deploymentId },
    remembered: {
      'signalbox.scriptKey': scriptKey,
      'signalbox.first-steps': 'put away',
      'signalbox.wallet-tokens.ethereum': token,
      'signalbox.chart': JSON.stringify({
        ...{ symbol: 'BTCUSDT', timeframe: '4h', stretches: {} },
        scripts: scripts.filter(({ name }) => ['Bands', 'RSI'].includes(name)),
      }),
    },
    async close() {
      await signalbox.stop();
      await model.close();
      await node.kill();
      clock.close();
    },
  };
}

interface Asked {
  readonly method?: string;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

async function ask<Answer>(
  { url }: RunningProcess,
  path: string,
  { method = 'POST', body, headers }: Asked,
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    ...{ method, headers: { 'content-type': 'application/json', ...headers } },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

/** The scripts as the chart chooses them, and the first deployment. */
async function fillLibrary(signalbox: RunningProcess) {
  const made = await ask<{ result: { apiKey: string } }>(signalbox, '/admin/script-keys', { body: {} });
  const scriptKey = made.result.apiKey;
  const headers = { authorization: `Bearer ${scriptKey}` };
  const scripts: { id: string; storedId: string; name: string; source: string }[] = [];
  for (const { name, content } of SCRIPTS) {
    const { script } = await ask<{ script: { id: string } }>(signalbox, '/api/scripts', {
      body: { name, content },
      headers,
    });
    scripts.push({ id: script.id, storedId: script.id, name: name.replace(/.*\//, ''), source: content });
  }
  const deployed: string[] = [];
  const targets = [{ type: 'trade', apiKey: signalbox.apiKey, exchange: 'binance' }];
  for (const { script, ...fields } of DEPLOYED) {
    const body = { ...fields, scriptId: scripts.find(({ name }) => name === script)?.id, targets };
    const { deployment } = await ask<{ deployment: { id: string } }>(signalbox, '/api/deployments', { body, headers });
    deployed.push(deployment.id);
  }
  return { scriptKey, scripts, deploymentId: deployed[0] ?? '' };
}
