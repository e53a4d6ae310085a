// `npm run bench live-order-rate -- [binance] [bybit] [mexc] [async] [direct] [--leverage] [--twin] [--signals=1000]`: 1,000
// signals over 50 markets to emulated venues that answer after 20 ms and enforce their published limits: which share of the allowed rate of orders
// is reached, what the orders cost there, and whether the venue had to refuse one. All venues and both modes by default.

import { EXCHANGES } from '../src/exchanges/exchange.ts';
import { flood } from '../tests/support/order-flood.ts';

const MARKETS = 50;
const TARGET = 0.9;
const LEVERAGE = 5;
const words = new Set(process.argv.slice(2));
const chosen = <Word extends string>(all: readonly Word[]): readonly Word[] => {
  const named = all.filter((word) => words.has(word));
  return named.length === 0 ? all : named;
};
const signals = Number(process.argv.find((word) => word.startsWith('--signals='))?.split('=')[1] ?? 1000);

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
