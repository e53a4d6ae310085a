// A dry run in the words of its answer.

import { maskSecrets } from '../../http/mask-secrets.ts';
import { ACTION_MEANING } from '../../trading/action.ts';
import { shownMoney, shownStop, shownTarget } from '../../trading/books/shown-amounts.ts';
import { type Decimal, times, toNumber } from '../../trading/decimal.ts';
import type { ForeseenSignal, ForeseenTrade } from '../../trading/execution/dry-run.ts';
import { expectedPrice, type OrderCosts } from '../../trading/execution/order-costs.ts';
import type { PlannedOrder } from '../../trading/execution/plan-orders.ts';
import type { PreparedPlan } from '../../trading/execution/prepare-plan.ts';
import { fixedLevels } from '../../trading/fixed-levels.ts';
import type { QueueMode } from '../../trading/intake/controls.ts';
import { levelText } from '../../trading/level.ts';
import type { ProtectRequest, SignalOrder } from '../../trading/signal.ts';
import { CHECK_GATES, type Checked, type ForeseenAccount, type ReadSignalView } from './check-schemas.ts';
import { GATEWAY_ERRORS, type GatewayErrorCode } from './errors.ts';
import { refusalOf } from './signal-answers.ts';

type Gate = Checked['gates'][number];
/** What became of it, and the answer that its sender would get. */
type Ended = Pick<Checked, 'outcome' | 'status' | 'code' | 'error'>;

const NO_REFUSAL = { code: null, error: null };
const orNull = (value: Decimal | undefined): number | null => (value === undefined ? null : toNumber(value));

/** What the gates and the plan said of a signal that could be read. */
export function foreseenView(foreseen: ForeseenSignal, mode: QueueMode) {
  const accounts = foreseen.trades.map(accountView);
  return {
    ...endOf(foreseen, accounts, mode),
    key: foreseen.sender?.label ?? null,
    gates: gatesView(foreseen),
    accounts,
  };
}

function endOf({ refused }: ForeseenSignal, accounts: readonly ForeseenAccount[], mode: QueueMode): Ended {
  if (refused) return refusedWith(refused.code, refused.message);
  const answered = mode === 'async' ? 202 : 200;
  const trading = accounts.find(({ outcome }) => outcome === 'would_trade');
  if (trading) return { outcome: 'would_trade', status: answered, ...NO_REFUSAL };
  const [first] = accounts;
  const told = accounts.find(({ outcome }) => outcome === 'would_wait') ?? (first as ForeseenAccount);
  const { outcome, error } = told;
  const code = outcome === 'would_wait' && mode === 'direct' ? 'VENUE_UNREACHABLE' : told.code;
  const status = mode === 'async' || code === null ? answered : GATEWAY_ERRORS[code as GatewayErrorCode].status;
  return { outcome, status, code, error };
}

export const refusedWith = (code: GatewayErrorCode, error: string): Ended => ({
  outcome: 'would_refuse',
  status: GATEWAY_ERRORS[code].status,
  code,
  error: maskSecrets(error),
});

/** The doors' own two are passed by whatever reaches the others. */
function gatesView({ gates }: ForeseenSignal): Gate[] {
  return [
    ...passedBefore('key'),
    ...gates.map(({ gate, outcome, refused }) => ({
      gate,
      outcome,
      code: refused?.code ?? null,
      error: refused?.message ?? null,
    })),
  ];
}

const passedBefore = (gate: Gate['gate']): Gate[] =>
  CHECK_GATES.slice(0, CHECK_GATES.indexOf(gate)).map((each) => ({ gate: each, outcome: 'passed', ...NO_REFUSAL }));

/** Of a body that its door would not even read. */
export const refusedAt = (gate: 'size' | 'shape', { code, error }: Pick<Ended, 'code' | 'error'>): Gate[] => [
  ...passedBefore(gate),
  { gate, outcome: 'refused', code, error },
  ...CHECK_GATES.slice(CHECK_GATES.indexOf(gate) + 1).map(
    (each): Gate => ({ gate: each, outcome: 'not_reached', ...NO_REFUSAL }),
  ),
];

function accountView({ account, trade, cancels, cancelsStops, end }: ForeseenTrade): ForeseenAccount {
  const { market, action } = trade.order;
  const nothing = {
    ...{ exchange: account.exchange, account: account.account, mode: account.mode, market, action },
    ...{ orders: [], quantity: null, notional: null, price: null, leverage: null, protection: null },
    ...NO_COSTS,
    ...{ cancels: [...cancels], cancelsStops: [...cancelsStops], warnings: [] },
  };
  if (end.kind === 'waiting') return { ...nothing, outcome: 'would_wait', code: null, error: end.reason };
  if (end.kind === 'refused') {
    const code = refusalOf(end.refused) ?? 'ORDER_REJECTED';
    const error = end.refused.error ?? GATEWAY_ERRORS[code].message;
    return { ...nothing, outcome: 'would_refuse', code, error };
  }
  const { plan, costs } = end;
  const price = expectedPrice(trade.order, plan);
  return {
    ...nothing,
    outcome: 'would_trade',
    ...NO_REFUSAL,
    orders: plan.orders.map((order) => orderView(order, trade.order)),
    quantity: toNumber(plan.quantity),
    notional: price === undefined ? null : toNumber(shownMoney(times(plan.quantity, price))),
    price: orNull(price),
    leverage: plan.leverage ?? null,
    protection: price === undefined ? null : protectionView(trade.order, plan, price),
    ...costsView(costs),
    warnings: [...plan.warnings],
  };
}

type CostsView = Pick<
  ForeseenAccount,
  'leverageInForce' | 'margin' | 'fee' | 'equity' | 'freeMargin' | 'risk' | 'cautions'
>;
const NO_COSTS: CostsView = {
  ...{ leverageInForce: null, margin: null, fee: null, equity: null, freeMargin: null, risk: null, cautions: [] },
};

const moneyOrNull = (amount: Decimal | undefined): number | null =>
  amount === undefined ? null : toNumber(shownMoney(amount));

const costsView = ({ leverage, margin, fee, account, risk, cautions }: OrderCosts): CostsView => ({
  leverageInForce: leverage ?? null,
  margin: moneyOrNull(margin),
  fee: moneyOrNull(fee),
  equity: moneyOrNull(account?.equity),
  freeMargin: moneyOrNull(account?.available),
  risk:
    risk === undefined
      ? null
      : {
          loss: toNumber(shownMoney(risk.loss)),
          percentOfEquity: moneyOrNull(risk.percentOfEquity),
          stopDistancePercent: toNumber(shownMoney(risk.stopDistancePercent)),
        },
  cautions: [...cautions],
});

function orderView(planned: PlannedOrder, { timeInForce, postOnly }: SignalOrder): ForeseenAccount['orders'][number] {
  const { leg, side, positionSide, reduceOnly, quantity, price } = planned;
  const isLimit = price !== undefined;
  return {
    ...{ leg, side, positionSide, reduceOnly, type: isLimit ? 'limit' : 'market' },
    ...{ quantity: toNumber(quantity), price: orNull(price) },
    timeInForce: isLimit ? (timeInForce ?? 'GTC') : null,
    postOnly: isLimit && postOnly === true,
  };
}

function protectionView({ action }: SignalOrder, { stops, market }: PreparedPlan, price: Decimal) {
  if (stops === undefined) return null;
  const side = ACTION_MEANING[action].positionSide;
  const tick = market.tickSize;
  const levels = fixedLevels(stops, { side, price, tick });
  const { stopLoss, takeProfit, targets = [], trail, activationPrice } = levels;
  return {
    stopLoss: stopLoss === undefined ? null : toNumber(shownStop(stopLoss, side, tick)),
    takeProfit: takeProfit === undefined ? null : toNumber(shownTarget(takeProfit, side, tick)),
    targets: targets.map(({ level, share }) => ({
      price: toNumber(shownTarget(level, side, tick)),
      share: toNumber(share),
    })),
    trailPercent: trail && 'percent' in trail ? toNumber(trail.percent) : null,
    trailAmount: trail && 'amount' in trail ? toNumber(trail.amount) : null,
    activationPrice: orNull(activationPrice),
    breakEvenAfter: levels.breakEvenAfter ?? null,
    maxHoldSeconds: levels.maxHoldSeconds ?? null,
  };
}

export function signalView(order: SignalOrder): ReadSignalView {
  const { exchange, account = null, action, symbol, market, quantity, price } = order;
  const { quantityType = 'base', closesAll = false, timeInForce = null, postOnly = false } = order;
  const { cancelAfterSeconds = null, leverage = null, strategy = null, comment = null } = order;
  const { alertId = null, idempotencyKey = null, protect = {} } = order;
  return {
    ...{ exchange, account, action, symbol, market, quantity: toNumber(quantity), quantityType, closesAll },
    ...{ price: orNull(price), timeInForce, postOnly, cancelAfterSeconds, leverage, strategy, comment },
    ...{ alertId, idempotencyKey, protect: protectInWords(protect) },
  };
}

function protectInWords(protect: ProtectRequest): Record<string, string> {
  const { stopLoss, takeProfit, trail, activationPrice, targets, breakEvenAfter, maxHoldSeconds } = protect;
  return {
    ...(stopLoss && { stopLoss: levelText(stopLoss) }),
    ...(takeProfit && { takeProfit: levelText(takeProfit) }),
    ...(trail && { trail: levelText(trail) }),
    ...(activationPrice !== undefined && { activationPrice: String(toNumber(activationPrice)) }),
    ...(targets && {
      targets: targets.map(({ level, share }) => `${levelText(level)}:${toNumber(share)}`).join(','),
    }),
    ...(breakEvenAfter !== undefined && { breakEvenAfter: String(breakEvenAfter) }),
    ...(maxHoldSeconds !== undefined && { maxHoldSeconds: String(maxHoldSeconds) }),
  };
}
