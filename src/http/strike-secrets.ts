// A sentence as it may be kept: whatever in it is a secret, or long enough to be one, is struck out.

import { maskSecrets } from './mask-secrets.ts';

const MASK = '***';
/** Long runs of letters that could be the tail of a key whose beginning was written in another way. */
const LONG_RUN = /[A-Za-z0-9_-]{32,}/g;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export type StrikeSecrets = (text: string) => string;

/** `secrets`: those that are known by heart, such as keys from the settings. */
export function createSecretStriker(secrets: readonly string[]): StrikeSecrets {
  const known = secrets.filter((secret) => secret !== '').flatMap((secret) => [secret, inJson(secret)]);
  return (text) => {
    let struck = text;
    for (const secret of known) struck = struck.replaceAll(secret, MASK);
    return maskSecrets(struck).replace(LONG_RUN, (run) => (UUID.test(run) ? run : MASK));
  };
}

const inJson = (secret: string): string => JSON.stringify(secret).slice(1, -1);
