// Where orders go and with which money, before somebody lets them go there and as long as they do.

import type { Account, Result } from '../../server/answers.ts';
import type { WebhookKey } from '../../server/setup-answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { Facts } from '../../ui/facts.tsx';
import { MoneyChip } from '../../ui/money-chip.tsx';
import { fixed, plain } from '../../ui/numbers.ts';
import { words } from '../../ui/words.ts';
import { placesOf, type TradingPlace } from './trading-places.ts';
import './where-it-trades.css';

export interface WhereItTradesProps {
  /** Undefined where each alert names its own. */
  readonly exchange: string | undefined;
  /** Undefined until it is known which one it is; its routes are, where it is no longer listed. */
  readonly webhookKey: { readonly label: string; readonly routes: WebhookKey['routes'] | undefined } | undefined;
}

export function useTradingPlaces({ exchange, webhookKey }: WhereItTradesProps): readonly TradingPlace[] | undefined {
  const { answer } = useAnswer<Result<readonly Account[]>>('/account');
  if (answer === undefined || exchange === undefined || webhookKey?.routes === undefined) return undefined;
  return placesOf(exchange, webhookKey.routes, answer.result);
}

export function WhereItTrades(props: WhereItTradesProps) {
  const { exchange, webhookKey } = props;
  const places = useTradingPlaces(props);
  const isLive = places?.some(({ mode }) => mode === 'live') === true;
  return (
    <section class={words('where-it-trades', isLive && 'is-live')} aria-label="Account and money">
      <Facts
        facts={[
          ['Exchange', exchange ?? 'the one that each alert names'],
          ...(places ?? []).map((place, index) => [titleOf(index), <Place key={place.account} {...place} />] as const),
          ...(places === undefined ? [['Account', 'told by the webhook key'] as const] : []),
          ['Webhook key', webhookKey?.label ?? 'none yet'],
        ]}
      />
    </section>
  );
}

const titleOf = (index: number): string => (index === 0 ? 'Account' : `Account ${index + 1}`);

const Place = ({ account, multiplier, mode, equity }: TradingPlace) => (
  <>
    {account}
    {multiplier !== 1 && ` × ${plain(multiplier)}`}
    {equity !== undefined && equity !== null && `, ${fixed(equity)} USDT`}{' '}
    {mode === undefined ? <strong class="down">is not here: its orders are refused</strong> : <MoneyChip mode={mode} />}
  </>
);
