// Names the placeholders that the charting platform left in an alert as they were, so that nobody has to guess which one.

/** `{{close}}`, `{{strategy.order.action}}`, `{{plot("RSI")}}`. */
const PLACEHOLDER = /\{\{\s*[\w.]{1,60}(?:\(\s*["'][^{}"']{1,60}["']\s*\))?\s*\}\}/;

/** As they are written, in the order of the text. */
export const placeholdersIn = (text: string): readonly string[] =>
  [...text.matchAll(new RegExp(PLACEHOLDER, 'g'))].map(([placeholder]) => placeholder);

/** What each field of the template holds. */
const USUAL: Readonly<Record<string, string>> = {
  exchange: '{{exchange}}',
  symbol: '{{ticker}}',
  ticker: '{{ticker}}',
  action: '{{strategy.order.action}}',
  quantity: '{{strategy.order.contracts}}',
  contracts: '{{strategy.order.contracts}}',
  price: '{{strategy.order.price}}',
  marketPosition: '{{strategy.market_position}}',
  prevMarketPosition: '{{strategy.prev_market_position}}',
  marketPositionSize: '{{strategy.market_position_size}}',
  prevMarketPositionSize: '{{strategy.prev_market_position_size}}',
};

/** One fault per field. Texts inside `notify` are not looked at: their placeholders are our own and filled in later. */
export function unfilledPlaceholders(value: unknown, fields: ReadonlySet<string>): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([field, text]) => {
    const placeholder = typeof text === 'string' && fields.has(field) ? PLACEHOLDER.exec(text)?.[0] : undefined;
    return placeholder === undefined
      ? []
      : [`${field}: ${placeholder} was not filled in: ${remedy(field, placeholder)}`];
  });
}

function remedy(field: string, placeholder: string): string {
  if (placeholder.startsWith('{{strategy.'))
    return `only alerts of a strategy fill it in, so make the alert on the strategy${instead(field, placeholder)}`;
  return `check its name in the alert's Message${instead(field, placeholder)}`;
}

function instead(field: string, placeholder: string): string {
  const usual = USUAL[field];
  return usual === undefined || usual === placeholder ? '' : `, or send ${usual}`;
}
