// The text to paste into TradingView's alert, so that its alerts carry the names that a second opinion knows them by.

import type { Deployment, OpinionTarget } from '../deployment.ts';
import { exchangeOf } from '../order-signal.ts';
import { alertNameOf, idTemplate } from './alert-id.ts';
import { ownFields, pricedComment } from './expected-alert.ts';

export interface AlertText {
  /** Where the alert's webhook goes. */
  readonly path: string;
  /** Null for an indicator, whose script has the message. */
  readonly message: string | null;
  readonly note: string;
}

const OF_STRATEGY =
  'Paste it as the message of an alert on the strategy ("Order fills only"), put the webhook key in, and leave alertId and comment as they are.';
const OF_INDICATOR =
  'The message of each alert is made by the script: JSON of a signal with an "alertId" that ends with the time of the bar, such as {{time}} in alertcondition().';

export function alertText(target: OpinionTarget, deployment: Deployment): AlertText {
  if (deployment.scriptType !== 'strategy') return { path: '/webhook', message: null, note: OF_INDICATOR };
  const fields = {
    apiKey: 'whk_PUT-YOUR-KEY-HERE',
    exchange: exchangeOf(target, deployment),
    symbol: deployment.symbol,
    action: '{{strategy.order.action}}',
    quantity: '{{strategy.order.contracts}}',
    marketPosition: '{{strategy.market_position}}',
    marketPositionSize: '{{strategy.market_position_size}}',
    prevMarketPosition: '{{strategy.prev_market_position}}',
    prevMarketPositionSize: '{{strategy.prev_market_position_size}}',
    ...(target.strategy !== undefined && { strategy: target.strategy }),
    ...ownFields(target),
    comment: pricedComment('{{strategy.order.id}}', '{{strategy.order.price}}'),
    alertId: idTemplate(alertNameOf(target, deployment)),
  };
  return { path: '/webhook/tradingview', message: JSON.stringify(fields, null, 2), note: OF_STRATEGY };
}
