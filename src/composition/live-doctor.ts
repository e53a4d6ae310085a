// What `signalbox doctor --live` asks the venue of each testnet and live account: everything that a trade would need, but no trade.

import type { LiveAccount } from '../adapters/venues/live-accounts.ts';
import { isRefusal } from '../adapters/venues/venue-call.ts';
import type { DoctorCheck } from '../cli/host.ts';
import { errorText } from '../errors/error-text.ts';
import { EXCHANGE_ROWS, settingPrefix } from '../exchanges/exchange.ts';
import { type AccountName, modeInWords } from '../trading/accounts.ts';
import { shownMoney } from '../trading/books/shown-amounts.ts';
import type { RealAccount } from '../trading/configured-accounts.ts';
import { type Decimal, larger, over, plus, toText, ZERO } from '../trading/decimal.ts';
import type { RestrictionStore } from '../trading/intake/restrictions.ts';
import {
  type MarginMode,
  type Market,
  type OrderRequest,
  type Quote,
  type Venue,
  VenueError,
} from '../trading/venue.ts';
import { missingLimits } from './account-limits.ts';
import { leverageWords } from './leverage-doctor.ts';
import { judgeAccount, type LiveAccountParts, openLiveAccount, wantedMode } from './live-accounts.ts';

export interface LiveDoctorParts extends LiveAccountParts {
  readonly restrictions: Pick<RestrictionStore, 'list'>;
  readonly confirmations: { isConfirmed(account: AccountName): boolean };
  readonly nowMs: () => number;
}

/** Every venue lists it. */
const MARKET = 'BTCUSDT';
/** Requests are signed by the venue's clock, so a wrong one of ours costs no order; logs and times of signals are wrong all the same. */
const CLOCK_WARN_MS = 1000;
/** A quote that is older says that nobody trades there, or that the venue stands still. */
const QUOTE_MAX_AGE_MS = 30_000;

type Asked = Omit<DoctorCheck, 'name'>;

const fine = (detail: string): Asked => ({ ok: 'ok', detail });
const warn = (detail: string, remedy: string): Asked => ({ ok: 'warn', detail, remedy });
const fail = (detail: string, remedy: string): Asked => ({ ok: 'fail', detail, remedy });

export async function checkLiveAccount(account: RealAccount, parts: LiveDoctorParts): Promise<readonly DoctorCheck[]> {
  const name = `${account.exchange}:${account.account} (${modeInWords(account.mode)})`;
  const checks: DoctorCheck[] = [];
  const add = (asked: readonly Asked[]): void => void checks.push(...asked.map((each) => ({ name, ...each })));
  let live: LiveAccount;
  try {
    live = await openLiveAccount(account, parts);
  } catch (error) {
    add([
      fail(errorText(error), `say "signalbox accounts remove ${account.exchange}:${account.account}" and add it again`),
    ]);
    return checks;
  }
  try {
    add(await asked('the clock', account, () => checkClock(live)));
    // Whoever does not tell the time does not answer anything else either.
    if (checks.some(({ ok }) => ok === 'fail')) return checks;
    for (const [what, check] of questions(account, live, parts)) add(await asked(what, account, check));
    return checks;
  } finally {
    await live.venue.close();
  }
}

type Question = readonly [what: string, check: () => Promise<readonly Asked[]>];

const questions = (account: RealAccount, live: LiveAccount, parts: LiveDoctorParts): readonly Question[] => [
  ['the key', () => checkMoney(live)],
  ['what the key may do', () => checkRights(account, live, parts)],
  ['the markets', () => checkMarkets(live)],
  ['the margin mode', () => checkMarginMode(live)],
  ['prices', () => checkPrices(live, parts)],
  ['the test order', () => checkOrder(account, live)],
  ['the stream', () => checkStream(live)],
  ['limits', async () => checkLimits(account, parts)],
  ['the limit of leverage', () => checkLeverage(account, live, parts)],
  ['real money', async () => checkConfirmation(account, parts)],
];

async function asked(what: string, account: RealAccount, check: Question[1]): Promise<readonly Asked[]> {
  try {
    return await check();
  } catch (error) {
    return [fail(`${what}: ${errorText(error)}`, remedyOf(account, error))];
  }
}

function remedyOf({ exchange, mode, credentialsFrom }: RealAccount, error: unknown): string {
  const title = EXCHANGE_ROWS[exchange].title;
  const prefix = settingPrefix(exchange);
  if (isRefusal(error, 'clock'))
    return 'let this machine set its clock by NTP; if it is right, the line is too slow: requests arrive after their time';
  if (isRefusal(error, 'busy'))
    return `wait as long as ${title} says and try again; find out what else asks it from this address`;
  if (!(error instanceof VenueError) || error.failure !== 'rejected')
    return `look whether ${title} has an outage or maintenance, and whether a firewall or a proxy is in the way or ${prefix}_BASE_URL is wrong; then try again`;
  const keys = credentialsFrom === 'stored' ? '' : ` (${prefix}_API_KEY, ${prefix}_API_SECRET)`;
  return `look at its key${keys} in the list of API keys at ${title}: is it one for ${mode}, may it trade futures, and from this address? Else wait and try again`;
}

async function checkClock({ clockOffsetMs }: LiveAccount): Promise<readonly Asked[]> {
  const offsetMs = Math.round(await clockOffsetMs());
  const detail = `its venue answers; its clock is ${Math.abs(offsetMs)} ms ${offsetMs < 0 ? 'behind' : 'ahead of'} ours`;
  return [Math.abs(offsetMs) > CLOCK_WARN_MS ? warn(detail, 'let this machine set its clock by NTP') : fine(detail)];
}

async function checkRights(account: RealAccount, live: LiveAccount, parts: LiveDoctorParts): Promise<readonly Asked[]> {
  const found = await live.permissions();
  const asked = { ...live, permissions: async () => found };
  const wanted = wantedMode(account, parts.stored);
  const { refusal, advice } = await judgeAccount(account, asked, { config: parts.config, wanted });
  const told = `may trade: ${yesOrNo(found.canTrade)}, may withdraw: ${yesOrNo(found.canWithdraw)}, may transfer: ${yesOrNo(found.canTransfer)}, locked to addresses: ${yesOrNo(found.ipLocked)}`;
  if (refusal !== undefined) return [fail(`the account is not opened with this key (${told})`, refusal)];
  return [fine(`the key ${told}`), ...advice.map((words) => warn('the key could be a better one', words))];
}

const yesOrNo = (value: boolean | undefined): string => (value === undefined ? 'not told' : value ? 'yes' : 'no');

async function checkMoney({ venue }: LiveAccount): Promise<readonly Asked[]> {
  const { balance, available } = await venue.summary();
  const mode = await venue.positionMode();
  const money = `the key is valid: a balance of ${shown(balance)} USDT, ${shown(available)} of it free; position mode ${mode}`;
  return [available > ZERO ? fine(money) : warn(money, 'bring money into the futures wallet before you trade')];
}

const shown = (amount: Decimal): string => toText(shownMoney(amount));

async function checkMarkets({ venue }: LiveAccount): Promise<readonly Asked[]> {
  const { tickSize, stepSize, minNotional } = await venue.market(MARKET);
  const rules = `tick ${toText(tickSize)}, step ${toText(stepSize)}, at least ${toText(minNotional)} USDT`;
  return [fine(`the markets are read: ${MARKET} has ${rules}`)];
}

const MARGIN_WORDS: Readonly<Record<MarginMode, string>> = {
  cross: 'cross margin, so a position that loses takes from the whole account',
  isolated: 'isolated margin, so a position can lose what is bound for it',
  portfolio: 'portfolio margin, so the whole account backs its positions',
};

/** Signalbox leaves it as the owner has set it. */
async function checkMarginMode({ venue }: LiveAccount): Promise<readonly Asked[]> {
  const modes = await venue.marginModes?.(MARKET);
  if (modes === undefined) return [];
  const { LONG, SHORT } = modes;
  const shorts = SHORT === LONG ? '' : `; shorts on ${MARGIN_WORDS[SHORT]}`;
  return [fine(`${MARKET} is traded on ${MARGIN_WORDS[LONG]}${shorts}`)];
}

async function checkPrices({ venue }: LiveAccount, { nowMs }: LiveDoctorParts): Promise<readonly Asked[]> {
  const { bid, ask, atMs } = await quoteAt(venue);
  const ageMs = Math.max(0, Math.round(nowMs() - atMs));
  const detail = `${MARKET} is bid at ${toText(bid)} and asked at ${toText(ask)}, ${ageMs} ms ago`;
  return [ageMs > QUOTE_MAX_AGE_MS ? warn(detail, 'look whether the exchange has halted trading') : fine(detail)];
}

async function quoteAt(venue: Venue): Promise<Quote> {
  const quote = await venue.quote?.(MARKET);
  if (quote === undefined) throw new Error('the venue tells no best prices');
  return quote;
}

/** The smallest that the market takes at this price. */
function smallestOrder({ symbol, stepSize, minQuantity, minNotional }: Market, price: Decimal): OrderRequest {
  const least = larger(minQuantity, over(minNotional, price));
  const beyond = least % stepSize;
  const quantity = beyond === 0n ? least : plus(least, (stepSize - beyond) as Decimal);
  return {
    ...{ clientOrderId: 'sbxdoctor', market: symbol, side: 'BUY', positionSide: 'LONG', reduceOnly: false },
    quantity: plus(quantity, stepSize),
  };
}

async function checkOrder({ exchange }: RealAccount, { venue, tryOrder }: LiveAccount): Promise<readonly Asked[]> {
  const title = EXCHANGE_ROWS[exchange].title;
  if (tryOrder === undefined)
    return [fine(`${title} has no test orders: whether it takes one shows the first real one`)];
  const order = smallestOrder(await venue.market(MARKET), (await quoteAt(venue)).ask);
  await tryOrder(order);
  return [
    fine(`${title} would take an order of ${toText(order.quantity)} ${MARKET}; it was only a test, nothing was traded`),
  ];
}

async function checkStream({ tryStream }: LiveAccount): Promise<readonly Asked[]> {
  await tryStream();
  return [fine('the stream of the account opens')];
}

/** Nobody but the owner knows what is too much, so nothing is limited by itself. */
function checkLimits(account: RealAccount, { restrictions }: LiveDoctorParts): readonly Asked[] {
  const missing = missingLimits(account, restrictions);
  return missing === undefined ? [] : [warn(missing.detail, missing.remedy)];
}

async function checkLeverage(
  account: RealAccount,
  { venue }: LiveAccount,
  parts: LiveDoctorParts,
): Promise<readonly Asked[]> {
  const told = await leverageWords(account, venue, parts.restrictions, MARKET);
  if (told === undefined) return [];
  return [told.remedy === undefined ? fine(told.detail) : warn(told.detail, told.remedy)];
}

function checkConfirmation(account: RealAccount, { confirmations }: LiveDoctorParts): readonly Asked[] {
  if (confirmations.isConfirmed(account)) return [];
  const name = `${account.exchange}:${account.account}`;
  return [warn('it opens nothing until its owner has confirmed it', `say "signalbox accounts confirm ${name}" once`)];
}
