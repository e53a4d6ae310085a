// Reads what a venue answers over HTTP: no longer than an answer can be, and how long it wants to be left alone.

import { MAX_SILENCE_MS } from './host-silences.ts';

/** The longest answer, a list of all contracts, has about two. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

export class AnswerTooLong extends Error {
  override readonly name = 'AnswerTooLong';
}

export async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES)
      // Without its address, which holds the signature of the request.
      throw new AnswerTooLong(`an answer of more than ${MAX_ANSWER_BYTES / 1024 / 1024} MiB was cut off`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** What `retry-after` says: seconds, or a date. Undefined where that is no time to come; never longer than any ban lasts. */
export function retryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, MAX_SILENCE_MS);
  // Without a month it is no date, whatever can be made of it.
  const waitMs = /[a-z]{3}/i.test(text) ? Date.parse(text) - nowMs : Number.NaN;
  return waitMs > 0 ? Math.min(waitMs, MAX_SILENCE_MS) : undefined;
}
