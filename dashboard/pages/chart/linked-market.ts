// A link that names a market, such as #/chart/ETHUSDT/4h: the chart goes there, and the link is used up, so that it works again later.

import { useEffect } from 'preact/hooks';
import { linkTo, type Place, turnTo } from '../../ui/places.ts';
import type { ChartChoice } from './chart-choice.ts';

type Market = Pick<ChartChoice, 'symbol'> & Partial<Pick<ChartChoice, 'timeframe'>>;

export function useLinkedMarket({ rest: [symbol, timeframe] }: Place, go: (market: Market) => void): void {
  useEffect(() => {
    if (symbol === undefined) return;
    go({ symbol, ...(timeframe !== undefined && { timeframe }) });
    turnTo(linkTo('chart'));
  }, [symbol, timeframe]);
}
