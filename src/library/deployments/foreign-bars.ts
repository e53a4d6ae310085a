// Whether a deployment would trade a testnet or live account on bars that are not those of its venue.
//
// All deployments run on the bars of MARKET_DATA. What a script decides on made-up prices, or on those of another venue, must not
// become an order with real money: such a deployment is neither made nor resumed nor taken up at a start. Whatever its alerts say
// besides, the gateway opens nothing on such an account either; closing is never refused.

import type { Deployment, Target } from './deployment.ts';
import { exchangeOf } from './order-signal.ts';

/** Where bars come from, and who must not trade on others. */
export interface BarOrigin {
  /** An exchange, or `simulated`. */
  readonly source: string;
  /** The exchanges whose accounts are not on paper. */
  readonly realExchanges: readonly string[];
}

const BEGINS = 'Its bars are not those of the venue it trades at:';

/** In words with the remedy; undefined where it may trade. */
export function foreignBars(
  { mode, symbol, targets }: Pick<Deployment, 'mode' | 'symbol' | 'targets'>,
  { source, realExchanges }: BarOrigin,
): string | undefined {
  if (mode === 'dry-run') return undefined;
  const exchanges = targets.map((target) => (isTrading(target) ? exchangeOf(target, { symbol }) : undefined));
  const foreign = exchanges.find((each) => each !== undefined && each !== source && realExchanges.includes(each));
  return foreign && `${BEGINS} ${foreignBarsInWords(foreign, source)}, or deploy it as a dry run.`;
}

/** Whether a deployment is paused because of it. */
export const isOfForeignBars = (reason: string | null): boolean => reason?.startsWith(BEGINS) === true;

/** What is wrong, and what helps. */
export function foreignBarsInWords(exchange: string, source: string): string {
  const bars = source === 'simulated' ? 'simulated bars' : `the bars of ${source}`;
  return `${exchange} is not on paper, and scripts run on ${bars} (MARKET_DATA=${source}); set MARKET_DATA=${exchange} and restart, trade on an exchange that is on paper`;
}

/** A second opinion that sends nothing trades nothing. */
const isTrading = (target: Target): target is Extract<Target, { readonly exchange?: string | undefined }> =>
  target.type === 'trade' || (target.type === 'second-opinion' && target.sendMissing);
