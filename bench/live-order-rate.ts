// `npm run bench live-order-rate -- [binance] [bybit] [mexc] [async] [direct] [--leverage] [--twin] [--signals=1000]`: 1,000
// signals over 50 markets to emulated venues that answer after 20 ms and enforce their published limits: which share of the allowed rate of orders
// is reached, what the orders cost there, and whether the venue had to refuse one. All venues and both modes by default.
// With `--latency [--twin] [--signals=100] [--every=500]` signals come one by one instead: how long an answer takes, and with `--twin`
// the same beside a paper twin, in turns, as a ratio.

import { EXCHANGES, type Exchange } from '../src/exchanges/exchange.ts';
import { flood } from '../tests/support/order-flood.ts';
import { measureLatency } from '../tests/support/order-latency.ts';
import { createLatencies } from './support/latency.ts';

const MARKETS = 50;
const TARGET = 0.9;
const LEVERAGE = 5;
const SHARES = [0.5, 0.9, 0.99];
const words = new Set(process.argv.slice(2));
const chosen = <Word extends string>(all: readonly Word[]): readonly Word[] => {
  const named = all.filter((word) => words.has(word));
  return named.length === 0 ? all : named;
};
const numberOf = (name: string, usual: number): number =>
  Number(process.argv.find((word) => word.startsWith(`--${name}=`))?.split('=')[1] ?? usual);

if (words.has('--latency')) {
  for (const exchange of chosen(EXCHANGES)) await showLatency(exchange);
  process.exit(0);
}
const signals = numberOf('signals', 1000);

let isMet = true;
for (const exchange of chosen(EXCHANGES)) {
  for (const mode of chosen(['async', 'direct'] as const)) {
    const leverage = words.has('--leverage') ? { leverage: LEVERAGE } : {};
    const report = await flood({
      exchange,
      mode,
      signals,
      markets: MARKETS,
      hasTwin: words.has('--twin'),
      ...leverage,
    });
    const { filled, tookMs, leastMs, share, refused, weight, requests } = report;
    isMet &&= share >= TARGET && refused === 0 && filled === signals;
    console.log(
      [
        `${exchange} ${mode}: ${filled} of ${signals} filled in ${(tookMs / 1000).toFixed(1)} s`,
        `at least ${leastMs / 1000} s are needed: ${(share * 100).toFixed(1)} % of the allowed rate`,
        `refused for too many requests: ${refused}`,
        ...(weight === undefined ? [] : [`weight in all: ${weight}`]),
      ].join('; '),
    );
    for (const [name, count] of requests) console.log(`  ${String(count).padStart(6)}  ${name}`);
  }
}
console.log(isMet ? 'target met' : `target missed: ${TARGET * 100} % without a refusal`);
process.exit(isMet ? 0 : 1);

/** From signal to answer. */
async function showLatency(exchange: Exchange): Promise<void> {
  const [signals, everyMs, hasTwin] = [numberOf('signals', 100), numberOf('every', 500), words.has('--twin')];
  const { withoutTwinMs, withTwinMs } = await measureLatency({ exchange, signals, everyMs, hasTwin });
  const without = quantilesOf(withoutTwinMs);
  const show = (what: string, quantiles: readonly number[], unit: string): void =>
    console.log(
      `${exchange} ${what}: ${SHARES.map((share, index) => `p${share * 100} ${quantiles[index]?.toFixed(2)}${unit}`).join(', ')}`,
    );
  console.log(`${exchange}: ${signals} signals each, one every ${everyMs} ms`);
  show('from signal to answer', without, ' ms');
  if (!hasTwin) return;
  const beside = quantilesOf(withTwinMs);
  show('with a paper twin', beside, ' ms');
  show(
    'with a twin, times that without',
    beside.map((ms, index) => ms / (without[index] as number)),
    '',
  );
}

function quantilesOf(tookMs: readonly number[]): readonly number[] {
  const latencies = createLatencies();
  for (const ms of tookMs) latencies.record(ms);
  return SHARES.map((share) => latencies.quantile(share));
}
