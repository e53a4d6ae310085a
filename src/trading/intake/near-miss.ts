// Names that people write for the fields that size, price or protect a trade or name its account, and what they should have written.
//
// A trade without the stop, the size or the limit price its sender wrote, or on another account, is worse than no trade: these
// are refused. The list is closed on purpose. Alerts carry many names that only inform: `close`, `open`, `high`, `low`, `volume`, `time`,
// `ticker`, `interval`, `message`, `bar`, `contracts`, `position_size`, `order_price`, `entry_price`,
// `ts`. They are in every second template for the sake of a chat message, so they must never be here: they are warned about.

export interface NearMiss {
  /** The field that was most likely meant, where this version has it. */
  readonly field?: string;
  readonly remedy: string;
}

const NO_ORDER_TYPE = 'remove it: with a price it is a limit order, without a market order' as const;

/** In lower case, without blanks, `_` and `-`, and without a number at the end: `tp1` is `tp`. */
const MEANT: Readonly<Record<string, string>> = {
  stopLoss:
    'stoploss sl stop stops stopprice slprice stoplossprice stoplosslevel stoplevel stoplosspercent stoplosspct slpercent slpct stoploose',
  takeProfit:
    'takeprofit tp tps takeprofits target tpprice takeprofitprice targetprice profittarget takeprofitlevel takeprofitpercent takeprofitpct tppercent tppct',
  trailPercent:
    'trailpercent trailing trailingstop trailstop trailingstoploss trailingpercent trailingstoppercent trailpct trailingpct tsl trailingsl',
  activationPrice: 'activationprice trailactivationprice trailactivation',
  maxHoldSeconds: 'maxholdseconds maxhold holdseconds timestop',
  quantity: 'quantity qty amount size orderqty ordersize orderquantity baseqty quoteqty quotequantity lots lotsize',
  quantityType: 'quantitytype qtytype sizetype quantitymode',
  price: 'price limitprice limit',
  timeInForce: 'timeinforce tif',
  postOnly: 'postonly makeronly',
  cancelAfterSeconds: 'cancelafterseconds cancelafter expireafter expireafterseconds',
  leverage: 'leverage lev',
  account: 'account accountname subaccount',
  idempotencyKey: 'idempotencykey',
};

const REFUSED: Readonly<Record<string, string>> = {
  'remove it and send CLOSE_LONG or CLOSE_SHORT as action': 'reduceonly',
  [NO_ORDER_TYPE]: 'ordertype type',
  'send targets as a list of levels with shares, {"percent": 2, "share": 0.5}, in JSON; a line of a mail has takeProfit':
    'targets profittargets',
  'send breakEvenAfter, which counts targets, with targets in JSON': 'breakevenafter breakeven',
  'send trail as {"percent": 2}, {"ticks": 50} or {"price": 150} in JSON; a line of a mail has trailPercent': 'trail',
};

const LIST: ReadonlyMap<string, NearMiss> = new Map([
  ...Object.entries(MEANT).flatMap(([field, names]) =>
    names.split(' ').map((name): [string, NearMiss] => [name, meant(field)]),
  ),
  ...Object.entries(REFUSED).flatMap(([remedy, names]) =>
    names.split(' ').map((name): [string, NearMiss] => [name, { remedy }]),
  ),
]);

/** A field whose name is one edit away from one of these counts as a misspelling of it. */
const SPELLED = ['stopLoss', 'takeProfit', 'trailPercent', 'quantity', 'leverage', 'price', 'account'] as const;

function meant(field: string): NearMiss {
  return { field, remedy: field === 'quantity' ? 'send quantity, in base currency' : `send ${field}` };
}

/** How a name is compared: case, blanks, `_` and `-` do not count. */
export const plainName = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, '');

const withoutNumber = (name: string): string => plainName(name).replace(/\d{1,2}$/, '');

/** Whether the name stands in the list as it is, and not only close to a name of it. */
export const isListed = (name: string): boolean => LIST.has(withoutNumber(name));

export function nearMissOf(name: string): NearMiss | undefined {
  const plain = withoutNumber(name);
  const listed = LIST.get(plain);
  if (listed) return listed;
  const field = spelledLike(plain, SPELLED);
  return field === undefined ? undefined : meant(field);
}

/** The one of these names that was meant by another spelling of it, or by one slip of the finger. */
export function spelledLike(name: string, names: readonly string[]): string | undefined {
  const plain = plainName(name);
  return names.find((right) => isOneSlipFrom(plain, plainName(right)));
}

/** The same, a letter too many, one too few, a wrong one, or two neighbours swapped. */
function isOneSlipFrom(written: string, right: string): boolean {
  if (Math.abs(written.length - right.length) > 1) return false;
  let at = 0;
  while (at < right.length && written[at] === right[at]) at++;
  const ends = (fromWritten: number, fromRight: number): boolean =>
    written.slice(at + fromWritten) === right.slice(at + fromRight);
  const swapped = written[at] === right[at + 1] && written[at + 1] === right[at] && ends(2, 2);
  return written === right || ends(1, 0) || ends(0, 1) || ends(1, 1) || swapped;
}
