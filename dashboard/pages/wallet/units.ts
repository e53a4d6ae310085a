// Amounts of coins: people write 0.5, chains count whole units of the smallest kind. Never through a float.

/** Undefined where the text is no plain amount, or has more decimals than the coin. */
export function toUnits(text: string, decimals: number): string | undefined {
  const [, whole = '', fraction = ''] = /^(\d*)(?:\.(\d*))?$/.exec(text.trim()) ?? [];
  if (whole + fraction === '' || fraction.length > decimals) return undefined;
  const units = BigInt(whole + fraction.padEnd(decimals, '0'));
  return units > 0n ? String(units) : undefined;
}

/** Thousands apart, without zeros at the end; exact. */
export function fromUnits(digits: string, decimals: number): string {
  const padded = digits.padStart(decimals + 1, '0');
  const whole = padded.slice(0, padded.length - decimals).replace(/\B(?=(\d{3})+$)/g, ',');
  const fraction = padded.slice(padded.length - decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
