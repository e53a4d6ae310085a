// Masks our own keys wherever they turn up inside a text: `whk_…`, `pyn_…` and `pn_…` keep only their prefix.

/**
 * `pn_` also ends ordinary words (`vpn_host`), so there it must start a word. A JSON escape such as \n counts as a
 * break, because log lines are masked after they became JSON. Tails under eight characters are names, not keys.
 */
const OUR_KEYS = /(whk|pyn|(?<=^|[^A-Za-z0-9]|\\[bfnrt]|\\u[0-9a-fA-F]{4})pn)_[A-Za-z0-9_-]{8,}/g;

export function maskSecrets(text: string): string {
  // Nearly every text holds none, and three searches cost far less than the pattern.
  if (!text.includes('whk_') && !text.includes('pyn_') && !text.includes('pn_')) return text;
  return text.replace(OUR_KEYS, '$1_***');
}
