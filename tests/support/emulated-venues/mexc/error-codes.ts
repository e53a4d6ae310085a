// MEXC's words for no: `success: false` and a code, in an answer whose HTTP status is 200.
//
// Certain, from MEXC's published list of contract error codes: all codes below but those named next.
// Assumed: 2040 and 2041 are published only as `errorCode` of single rows of a cancel answer, and stand here for a query of
// an order that is not there as well. For an `externalOid` that was used before MEXC publishes no code of its own; 603
// ("repeated requests") is the nearest published one. A client is safe only if it reads the order by its id after ANY
// refusal of an order that may have been sent before.

export const ERROR_MESSAGES = {
  401: 'Not logged in or login has expired',
  402: 'The API key has expired',
  406: 'Accessed IP is not in the whitelist',
  501: 'System busy',
  510: 'Requests are too frequent, please try again later',
  513: 'Invalid request',
  600: 'Parameter error',
  602: 'Signature verification failed',
  603: 'Repeated request',
  701: 'Account read permission is required',
  703: 'Trade information read permission is required',
  704: 'Transaction information modify permission is required',
  801: 'System under maintenance',
  1001: 'Contract does not exist',
  1002: 'Contract not allow place order!',
  2001: 'Wrong order direction',
  2002: 'Wrong opening type',
  2003: 'Overpriced to pay',
  2004: 'Low-price for selling',
  2005: 'Balance insufficient',
  2006: 'Leverage ratio error',
  2007: 'Order price error',
  2008: 'The quantity is insufficient',
  2009: 'Position is not exists or closed.',
  2011: 'Order quantity error',
  2013: 'Cancel orders over maximum limit of 50',
  2015: 'Price or quantity accuracy error',
  2019: 'There is an active open position',
  2021: 'The single leverage is not consistent with the existing position leverage',
  2022: 'Wrong position type',
  2027: 'There is only one cross or isolated in the same direction',
  2028: 'The maximum order quantity is exceeded',
  2029: 'Error order type',
  2030: 'External order ID is too long (Max. 32 bits )',
  2031: 'The allowable holding position exceed the current risk limit',
  2034: 'The batch query quantity limit is exceeded',
  2036: 'The orders more than the limit, please contact customer service',
  2040: 'order not exist',
  2041: 'order state cannot be cancelled',
  3001: 'Trigger price type error',
  3002: 'Trigger type error',
  3003: 'Executive cycle error',
  3004: 'Trigger price error',
  4001: 'Unsupported currency',
  5001: 'The take-price and the stop-loss price cannot be none at the same time',
  5002: 'The Stop-Limit order does not exist or has closed',
  5003: 'Take-profit and stop-loss price setting is wrong',
  5004: 'The take-profit and stop-loss order volume is more than the holding positions can be liquidated',
  6003: 'Time range error',
} as const;

export type ErrorCode = keyof typeof ERROR_MESSAGES;

/** Thrown by whoever refuses; the venue turns it into an answer. */
export class MexcRefusal extends Error {
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string = ERROR_MESSAGES[code]) {
    super(message);
    this.name = 'MexcRefusal';
    this.code = code;
  }
}
