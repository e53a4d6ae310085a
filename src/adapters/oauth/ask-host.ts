// One form posted to a code host and one JSON object back, within bounds of time and size, or a fault in our own words.

import type { HostFault } from '../../library/device-flow.ts';

/** Past this the user's browser has lost patience too. */
const CALL_TIMEOUT_MS = 10_000;
/** A real answer has below 1 KiB. */
const MAX_ANSWER_BYTES = 65_536;

export type Fields = Readonly<Record<string, unknown>>;

export interface HostAnswer {
  readonly kind: 'answer';
  readonly status: number;
  readonly fields: Fields;
}

export interface AskOptions {
  readonly timeoutMs?: number | undefined;
}

export const hostFault = (reason: string): HostFault => ({ kind: 'failed', reason });

/** What was thrown is left out on purpose: it may hold the address with the codes in it. */
export async function askHost(
  url: string,
  form: Readonly<Record<string, string>>,
  { timeoutMs = CALL_TIMEOUT_MS }: AskOptions = {},
): Promise<HostAnswer | HostFault> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { accept: 'application/json', 'user-agent': 'signalbox' },
      body: new URLSearchParams(form),
      // A redirect would carry the device code to wherever it points.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await readBounded(response);
    if (text === undefined) return hostFault('the code host sent an answer that is far too long; try again later');
    if (response.status >= 500 || response.status === 429)
      return hostFault(`the code host is out of order (${response.status}); try again in a moment`);
    const fields = readFields(text);
    if (fields === undefined) return hostFault('the code host sent an answer that makes no sense; try again later');
    return { kind: 'answer', status: response.status, fields };
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    return hostFault(
      isLate
        ? `the code host did not answer within ${timeoutMs / 1000} s; try again in a moment`
        : 'the code host cannot be reached; try again in a moment',
    );
  }
}

async function readBounded(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    // Leaving the loop early cancels the rest of the answer.
    if (size > MAX_ANSWER_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function readFields(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}
