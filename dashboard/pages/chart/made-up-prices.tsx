// A warning above the chart where its prices are simulated while money of a testnet or real money is traded at others.

import type { Health } from '../../server/answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import './made-up-prices.css';
import { realVenueOf } from './real-venue.ts';

export function MadeUpPrices({ source }: { readonly source: string | undefined }) {
  const { answer: health } = useAnswer<Health>('/health', 3_000);
  const real = health && realVenueOf(health);
  if (source !== 'simulated' || real === undefined) return null;
  const { exchange, money } = real;
  return (
    <p class="made-up-prices" role="note">
      <strong>These prices are made up by Signalbox.</strong> {money} is traded at those of {exchange}: set{' '}
      <code>MARKET_DATA={exchange}</code> and start again.
    </p>
  );
}
