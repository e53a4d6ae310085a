// Reads a venue's JSON without losing a digit: every number comes as the text it was written in. Order ids of 19 digits and prices
// like 0.00000123 do not survive as floating-point numbers.

export const parseLossless = (text: string): unknown =>
  JSON.parse(text, (_, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === 'number' && source !== undefined ? source : value,
  );
