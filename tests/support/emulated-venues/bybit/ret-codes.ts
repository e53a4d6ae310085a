// Bybit's words for no: the `retCode` of an answer whose HTTP status is 200 all the same.
//
// Codes and meanings are those of Bybit's published list for the unified account. Where one code has several published or
// often reported texts (10001 above all), whoever refuses hands its own.

/** The text that goes with a code when nothing better is known. */
export const RET_MESSAGES = {
  10000: 'Server Timeout',
  10001: 'params error',
  10002: 'invalid request, please check your server timestamp or recv_window param',
  10003: 'API key is invalid.',
  10004: 'error sign! please check your signature generation algorithm.',
  10005: 'Permission denied, please check your API key permissions.',
  10006: 'Too many visits. Exceeded the API Rate Limit.',
  10010: 'Unmatched IP, please check your API key bound IP addresses.',
  10016: 'Server error.',
  10017: 'Route not found.',
  10018: 'Exceeded the IP Rate Limit.',
  34040: 'not modified',
  100028: 'The API cannot be accessed by unified account users.',
  110001: 'order not exists or too late to cancel',
  110003: 'The order price is out of permissible range.',
  110007: 'ab not enough for new order',
  110009: 'The number of stop orders exceeds the maximum allowable limit',
  110013: 'Cannot set leverage due to risk limit level',
  110017: 'Reduce-only rule not satisfied',
  110020: 'Not allowed to have more than 500 active orders',
  110024: 'You have an existing position, so the position mode cannot be switched',
  110025: 'Position mode is not modified',
  110028: 'You have existing open orders, so the position mode cannot be switched',
  110043: 'leverage not modified',
  110064: 'The number of contracts modified cannot be less than or equal to the filled quantity',
  110072: 'OrderLinkedID is duplicate',
  110090: 'Order placement failed as your position may exceed the max limit. Please adjust your leverage',
  110092: 'expect Rising, but trigger_price is not above the current price',
  110093: 'expect Falling, but trigger_price is not below the current price',
  110094: 'Order does not meet minimum order value',
} as const;

export type RetCode = keyof typeof RET_MESSAGES;

/** Thrown by whoever refuses; the venue turns it into an answer. */
export class BybitRefusal extends Error {
  readonly retCode: RetCode;
  constructor(retCode: RetCode, retMsg: string = RET_MESSAGES[retCode]) {
    super(retMsg);
    this.name = 'BybitRefusal';
    this.retCode = retCode;
  }
}
