// The credentials of an account at a venue as their owner types or pipes them in: an API key and its secret.

import { API_KEY_FORM, API_SECRET_FORM } from '../exchanges/exchange.ts';

export interface VenueCredentials {
  readonly apiKey: string;
  readonly secret: string;
}

const FORMS = 'two lines, the API key and then its secret, or JSON: {"apiKey": "…", "secret": "…"}';

/** What stands on standard input. A fault never repeats any of it. */
export function readCredentials(text: string): VenueCredentials | { readonly fault: string } {
  const trimmed = text.trim();
  if (trimmed === '') return { fault: `there is nothing on standard input; give ${FORMS}` };
  const given = trimmed.startsWith('{') ? fromJson(trimmed) : fromLines(trimmed);
  return 'fault' in given ? given : checkCredentials(given);
}

/** The two, or what is wrong with them. */
export function checkCredentials({ apiKey, secret }: VenueCredentials): VenueCredentials | { readonly fault: string } {
  if (!API_KEY_FORM.test(apiKey)) return { fault: 'the API key is malformed; copy it whole, without blanks' };
  if (!API_SECRET_FORM.test(secret)) return { fault: 'the secret is malformed; copy it whole, without blanks' };
  return { apiKey, secret };
}

function fromLines(text: string): VenueCredentials | { readonly fault: string } {
  const [apiKey = '', secret, ...more] = text.split('\n').map((line) => line.trim());
  if (secret === undefined || more.length > 0) return { fault: `standard input has not ${FORMS}` };
  return { apiKey, secret };
}

function fromJson(text: string): VenueCredentials | { readonly fault: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { fault: `standard input begins like JSON and is none; give ${FORMS}` };
  }
  const { apiKey, secret } = value as Record<string, unknown>;
  if (typeof apiKey !== 'string' || typeof secret !== 'string')
    return { fault: 'the JSON on standard input needs "apiKey" and "secret", both texts' };
  return { apiKey, secret };
}
