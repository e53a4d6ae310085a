// Binance's refusals: the published codes that the emulated venue gives, each with its words and its HTTP status.

import type { RefusalReason } from '../futures-order.ts';

/** A place for a detail is written as {}. */
const TABLE = {
  '-1003': [429, '{}'],
  '-1015': [429, 'Too many new orders; current limit is {} orders per {}.'],
  '-1021': [400, '{}'],
  '-1022': [400, 'Signature for this request is not valid.'],
  '-1023': [400, 'Start time is greater than end time.'],
  '-1100': [400, "Illegal characters found in parameter '{}'; legal range is '{}'."],
  '-1101': [400, 'Duplicate values for a parameter detected.'],
  '-1102': [400, "Mandatory parameter '{}' was not sent, was empty/null, or malformed."],
  '-1104': [400, "Param '{}' or '{}' must be sent, but both were empty/null!"],
  '-1106': [400, "Parameter '{}' sent when not required."],
  '-1111': [400, 'Precision is over the maximum defined for this asset.'],
  '-1115': [400, 'Invalid timeInForce.'],
  '-1116': [400, 'Invalid orderType.'],
  '-1117': [400, 'Invalid side.'],
  '-1120': [400, 'Invalid interval.'],
  '-1121': [400, 'Invalid symbol.'],
  '-1125': [400, 'This listenKey does not exist.'],
  '-1128': [400, 'Combination of optional parameters invalid.'],
  '-1130': [400, "Data sent for parameter '{}' is not valid."],
  '-1136': [400, 'Invalid newOrderRespType.'],
  '-2007': [400, 'Invalid callBack rate.'],
  '-2011': [400, 'Unknown order sent.'],
  '-2013': [400, 'Order does not exist.'],
  '-2014': [401, 'API-key format invalid.'],
  '-2015': [401, 'Invalid API-key, IP, or permissions for action.'],
  '-2019': [400, 'Margin is insufficient.'],
  '-2021': [400, 'Order would immediately trigger.'],
  '-2022': [400, 'ReduceOnly Order is rejected.'],
  '-2025': [400, 'Reach max open order limit.'],
  '-2027': [400, 'Exceeded the maximum allowable position at current leverage.'],
  '-2028': [400, 'Leverage is smaller than permitted: insufficient margin balance.'],
  '-4002': [400, 'Price greater than max price.'],
  '-4003': [400, 'Quantity less than or equal to zero.'],
  '-4004': [400, 'Quantity less than min quantity.'],
  '-4005': [400, 'Quantity greater than max quantity.'],
  '-4006': [400, 'Stop price less than zero.'],
  '-4013': [400, 'Price less than min price.'],
  '-4014': [400, 'Price not increased by tick size.'],
  '-4015': [400, 'Client order id length should not be more than 36 chars'],
  '-4016': [400, "Limit price can't be higher than {}."],
  '-4023': [400, 'Qty not increased by step size.'],
  '-4024': [400, "Limit price can't be lower than {}."],
  '-4028': [400, 'Leverage {} is not valid'],
  '-4031': [400, 'Invalid parameter working type: {}'],
  '-4045': [400, 'Reach max stop order limit.'],
  '-4046': [400, 'No need to change margin type.'],
  '-4047': [400, 'Margin type cannot be changed if there exists open orders.'],
  '-4048': [400, 'Margin type cannot be changed if there exists position.'],
  '-4059': [400, 'No need to change position side.'],
  '-4060': [400, 'Invalid position side.'],
  '-4061': [400, "Order's position side does not match user's setting."],
  '-4067': [400, 'Position side cannot be changed if there exists open orders.'],
  '-4068': [400, 'Position side cannot be changed if there exists position.'],
  '-4116': [400, 'ClientOrderId is duplicated.'],
  '-4118': [400, 'ReduceOnly Order Failed. Please check your existing position and open orders.'],
  '-4120': [400, 'Order type not supported for this endpoint. Please use the Algo Order API endpoints instead.'],
  '-4130': [400, 'An open stop or take profit order with GTE and closePosition in the direction is existing.'],
  '-4131': [400, "The counterparty's best price does not meet the PERCENT_PRICE filter limit."],
  '-4136': [400, 'Target strategy invalid for orderType {},closePosition true'],
  '-4137': [400, 'Quantity must be zero with closePosition equals true'],
  '-4161': [400, 'Leverage reduction is not supported in Isolated Margin Mode with open positions'],
  '-4164': [400, "Order's notional must be no smaller than {} (unless you choose reduce only)."],
  '-4165': [400, 'Maximum time interval is {} days.'],
  '-4167': [400, 'Unable to adjust to Multi-Assets mode with symbols of USDⓈ-M Futures under isolated-margin mode.'],
  '-4168': [400, 'Unable to adjust to isolated-margin mode under the Multi-Assets mode.'],
  '-4171': [400, 'Adjusted asset mode is currently set and does not need to be adjusted repeatedly.'],
  '-4509': [
    400,
    'Time in Force (TIF) GTE can only be used with open positions. Please ensure that positions are available.',
  ],
  '-5021': [400, 'Due to the order could not be filled immediately, the FOK order has been rejected.'],
  '-5022': [400, 'Due to the order could not be executed as maker, the Post Only order will be rejected.'],
  '-5027': [400, 'No need to modify the order.'],
  // The spot interface has fewer codes and tells the filter in words.
  '-1013': [400, 'Filter failure: {}'],
  '-2010': [400, '{}'],
} as const satisfies Record<string, readonly [number, string]>;

export type BinanceCode = keyof typeof TABLE;

export class BinanceError extends Error {
  readonly status: number;
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  constructor(code: BinanceCode, details: readonly string[] = [], headers: Readonly<Record<string, string>> = {}) {
    const [status, words] = TABLE[code];
    let next = 0;
    super(words.replaceAll('{}', () => details[next++] ?? ''));
    this.name = 'BinanceError';
    this.status = status;
    // The venue uses one code for both kinds of a missing parameter.
    this.code = code === '-1104' ? -1102 : Number(code);
    this.headers = headers;
  }
}

export const refuse = (code: BinanceCode, ...details: string[]): BinanceError => new BinanceError(code, details);

/** A resting order that already reduces the whole position has a code of its own in one-way mode. */
export function marketRefusal(reason: RefusalReason, isHedge: boolean): BinanceError {
  const codes = {
    'insufficient-margin': '-2019',
    'nothing-to-reduce': '-2022',
    'reduced-by-others': isHedge ? '-2022' : '-4118',
    'would-take': '-5022',
    'would-trigger': '-2021',
    'over-leverage-bracket': '-2027',
    'no-price': '-1121',
  } as const satisfies Record<RefusalReason, BinanceCode>;
  return refuse(codes[reason]);
}
