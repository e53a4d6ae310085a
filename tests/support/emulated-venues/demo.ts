// `npm run demo:venue -- binance`: an emulated venue to try live trading on, without an exchange and without money. Its prices move by
// themselves; it prints the line that starts Signalbox against it. Ctrl-C ends it, and forgets everything.

import { EXCHANGE_ROWS, EXCHANGES, settingPrefix } from '../../../src/exchanges/exchange.ts';
import { decimal, floorTo, toText } from '../../../src/trading/decimal.ts';
import type { EmulatedVenue } from './emulated-venue.ts';
import { DEFAULT_MARKETS } from './market-spec.ts';
import { START_VENUE } from './start-venue.ts';

const FIRST_PRICES: Readonly<Record<string, number>> = { BTCUSDT: 60_000, ETHUSDT: 3000, DOGEUSDT: 0.2 };
const MOVE_EVERY_MS = 500;
/** The most that a price moves at once, as a share of it. */
const LARGEST_MOVE = 0.0005;

const [name] = process.argv.slice(2);
const exchange = EXCHANGES.find((known) => known === name);
if (exchange === undefined) {
  console.error(`Say which venue to emulate: npm run demo:venue -- ${EXCHANGES.join('|')}`);
  process.exit(2);
}

const venue: EmulatedVenue = await START_VENUE[exchange]({ wallet: '10000' });
const prices = new Map(DEFAULT_MARKETS.map(({ symbol }) => [symbol, FIRST_PRICES[symbol] ?? 1]));
moveAll();
setInterval(moveAll, MOVE_EVERY_MS);

/** A random walk: it has no memory and no direction. */
function moveAll(): void {
  for (const { symbol, tickSize } of DEFAULT_MARKETS) {
    const price = (prices.get(symbol) as number) * (1 + (Math.random() * 2 - 1) * LARGEST_MOVE);
    prices.set(symbol, price);
    venue.market.setPrice(symbol, toText(floorTo(decimal(price.toFixed(8)), tickSize)));
  }
}

const prefix = settingPrefix(exchange);
const { baseUrl, credentials } = venue;
const settings = [
  'TRADING_MODE=live',
  `${prefix}_BASE_URL=${baseUrl}`,
  `${prefix}_API_KEY=${credentials.apiKey}`,
  `${prefix}_API_SECRET=${credentials.secret}`,
  'DATA_DIR=./demo-data',
];
console.log(`
  An emulated ${EXCHANGE_ROWS[exchange].title} is listening on ${baseUrl}
  Markets:  ${DEFAULT_MARKETS.map(({ symbol }) => symbol).join(', ')}; prices move by themselves
  Account:  10000 USDT that are nobody's
  API key:  ${credentials.apiKey}
  Secret:   ${credentials.secret}

  Start Signalbox against it, in another terminal:
  ${settings.join(' ')} npm start

  Before the commands that its greeting names, in the terminal where you type them:
  export ${settings.join(' ')}

  What Signalbox calls real money is this emulated account. Ctrl-C ends it.
`);
