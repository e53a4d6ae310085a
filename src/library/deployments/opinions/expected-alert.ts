// What TradingView's alert of an event of ours should be: its name, its signal, and what of it is compared.
//
// | event                   | its name                            | the signal                                  |
// |-------------------------|-------------------------------------|---------------------------------------------|
// | a fill of a strategy    | made from the order, see alert-id.ts | the fields of the text that is pasted        |
// | an alert of an indicator| `alertId` in its message            | its message, which is the text of the alert |

import type { Deployment, DeploymentEvent, EventOrder, OpinionTarget } from '../deployment.ts';
import { decimalText, orderSignal } from '../order-signal.ts';
import { alertIdOf, alertNameOf, spelled } from './alert-id.ts';
import type { ExpectedAlert } from './opinion.ts';

export interface NamedAlert {
  readonly alertId: string;
  readonly expected: ExpectedAlert;
}

/** Of what nobody can be asked for an opinion: why, with the remedy. */
export type Unnamed = { readonly reason: string };

export function expectedAlert(
  event: DeploymentEvent,
  target: OpinionTarget,
  deployment: Deployment,
): NamedAlert | Unnamed {
  if (deployment.scriptType === 'strategy')
    return event.order === null
      ? { reason: 'of a strategy the orders are compared, not what it says with alert()' }
      : ofOrder(event, event.order, target, deployment);
  return ofMessage(event);
}

/** What the comment of the pasted text says of the price; see alert-text.ts. */
export const pricedComment = (id: string, price: string): string => `${id} @ ${price}`;

/** A size of the owner's own is what a reversal opens, too. */
export const ownFields = ({ fields }: OpinionTarget): Readonly<Record<string, unknown>> =>
  fields?.quantity === undefined ? { ...fields } : { ...fields, ownQuantity: true };

function ofOrder(
  { id: eventId, barTimeMs, createdAtMs }: DeploymentEvent,
  order: EventOrder,
  target: OpinionTarget,
  deployment: Deployment,
): NamedAlert | Unnamed {
  const alertId = alertIdOf(order, barTimeMs, alertNameOf(target, deployment));
  if (alertId === undefined) return { reason: `the id of the order "${order.id}" is too long; shorten it` };
  const { exchange, strategy, fields } = target;
  // The pasted text has no book of its own either, unless its owner named one; and a bracket only the script knows.
  const {
    strategy: _,
    comment,
    stopLoss: __,
    takeProfit: ___,
    ...signal
  } = orderSignal(order, { type: 'trade', keyId: target.keyId, keyLabel: target.keyLabel, exchange }, deployment);
  const message = JSON.stringify({
    ...signal,
    ...(strategy !== undefined && { strategy }),
    ...ownFields(target),
    comment: pricedComment(comment, decimalText(order.price)),
    alertId,
  });
  const { before, after, contracts, price } = order;
  const reverses = before !== 0 && after !== 0 && Math.sign(before) !== Math.sign(after);
  // A size of the owner's own says nothing of the script's.
  const isOwnSize = fields?.quantity !== undefined || fields?.quantityType !== undefined;
  const size = reverses ? Math.abs(after) : contracts;
  const quantity = isOwnSize ? null : size;
  return {
    alertId,
    expected: { eventId, atMs: createdAtMs, action: actionOf(order), quantity, price, before, message },
  };
}

/** As the gateway reads the fields of a strategy. */
function actionOf({ action, after }: EventOrder): string {
  if (action === 'buy') return after > 0 ? 'LONG' : 'CLOSE_SHORT';
  return after < 0 ? 'SHORT' : 'CLOSE_LONG';
}

const NO_ALERT_ID =
  'its message is no JSON with an "alertId"; give it one that ends with the time of the bar, such as {{time}}';

function ofMessage({ id: eventId, message, createdAtMs }: DeploymentEvent): NamedAlert | Unnamed {
  const fields = fieldsIn(message);
  const { alertId, action, quantity, apiKey: _, ...rest } = fields;
  if (typeof alertId !== 'string' || spelled(alertId) === '') return { reason: NO_ALERT_ID };
  const size = Number(quantity ?? Number.NaN);
  const isInCoins = rest.quantityType === undefined || rest.quantityType === 'base';
  const expected: ExpectedAlert = {
    eventId,
    atMs: createdAtMs,
    action: String(action ?? '')
      .trim()
      .toUpperCase(),
    quantity: isInCoins && Number.isFinite(size) ? size : null,
    price: null,
    before: null,
    // The key in a message is for TradingView; what we send is allowed by the one that was presented.
    message: JSON.stringify({ ...rest, action, quantity, alertId }),
  };
  return { alertId: spelled(alertId), expected };
}

function fieldsIn(message: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(message);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
