// The ticks and steps of a market that has no row, guessed from its price.

/** Five digits of price; a step worth a few dollars at most, no finer than a thousandth and no coarser than one. */
export function stepsFromPrice(price: number): { readonly tick: string; readonly step: string } {
  const exponent = Math.floor(Math.log10(price));
  return { tick: `1e${Math.max(-12, exponent - 4)}`, step: `1e${Math.min(0, Math.max(-3, -exponent))}` };
}
