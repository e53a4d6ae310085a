// The facts of an outcome that a sender's own message may name, stored with the message until it is filled in and sent.

export const PLACEHOLDERS = [
  'action',
  'symbol',
  'exchange',
  'mode',
  'account',
  'strategy',
  'comment',
  'quantity',
  'price',
  'status',
  'executedQty',
  'orderId',
  'error',
  'requestId',
] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];
export type TemplateValues = Readonly<Record<Placeholder, string>>;
