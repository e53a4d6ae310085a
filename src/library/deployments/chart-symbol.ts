// The market of a deployment as its script sees it: in the trial run, live, and in the comparison with its backtest alike.

import type { SymbolInfo } from '../../pine/index.ts';
import type { DeploymentPlan, Target } from './deployment.ts';
import type { MarketInfo } from './ports.ts';

/**
 * As the exchange in the name of the symbol has it; where there is none, the first to which a target sends its orders.
 * The price is that of the first bar of its run: so it is the same after every restart.
 */
export function chartSymbol(
  infoOf: MarketInfo,
  { symbol, targets }: Pick<DeploymentPlan, 'symbol' | 'targets'>,
  firstPrice?: number,
): SymbolInfo {
  return infoOf(
    symbol,
    targets.map(exchangeIn).find((exchange) => exchange !== undefined),
    firstPrice,
  );
}

/** Of quantities; 0 where no table knows. */
export const quantityStep = (infoOf: MarketInfo, plan: Pick<DeploymentPlan, 'symbol' | 'targets'>): number =>
  chartSymbol(infoOf, plan).mincontract ?? 0;

const exchangeIn = (target: Target): string | undefined => ('exchange' in target ? target.exchange : undefined);
