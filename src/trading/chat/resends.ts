// Refused signals in the owner's chat: /refusals lists them, /resend sends one again after a yes.

import { errorText } from '../../errors/error-text.ts';
import { StorageError, UnknownOutcomeError } from '../../errors/storage-error.ts';
import type { Refusals, RefusedSignal } from '../intake/refusals.ts';
import { escapeHtml } from '../notifications/escape.ts';
import { list } from './render.ts';

export interface ResendParts {
  readonly refusals: Pick<Refusals, 'list' | 'find'>;
  /** The answer as its sender would have had it; rejects with words where it cannot be sent again. */
  readonly resend: (
    refusalId: string,
    requestId: string,
  ) => Promise<{ readonly status: number; readonly body: unknown }>;
  readonly newRequestId: () => string;
}

/** The refusal that is sent again after a yes. */
export interface RequestedResend {
  readonly setting: 'refusal';
  readonly id: string;
}

const USAGE = 'Use /resend, for the last refused signal, or /resend ID (of /refusals)';
/** Among so many the last one that can be sent again is looked for. */
const LOOKED_AT = 20;

export async function askToResend(
  [id, ...more]: readonly string[],
  { refusals }: ResendParts,
): Promise<{ readonly text: string } | { readonly text: string; readonly change: RequestedResend }> {
  if (more.length > 0) return { text: `${USAGE}. Nothing was sent.` };
  const found =
    id === undefined
      ? (await refusals.list({ limit: LOOKED_AT }))?.find(({ signal }) => signal !== undefined)
      : await refusals.find(id);
  if (found === undefined) return { text: 'No such refusal. /refusals lists them. Nothing was sent.' };
  return { text: `Really send it again?\n${refusalLine(found)}`, change: { setting: 'refusal', id: found.id } };
}

/** After the yes: what became of it. */
export async function resendNow({ id }: RequestedResend, { resend, newRequestId }: ResendParts): Promise<string> {
  const answer = await resend(id, newRequestId()).catch((error: unknown) => {
    // What is not known to be stored is told by whoever asked.
    if (error instanceof StorageError || error instanceof UnknownOutcomeError) throw error;
    return { status: 409, body: { error: errorText(error) } };
  });
  const { status, body } = answer;
  const { requestId, error, tradeResult } = body as Readonly<Record<string, unknown>>;
  if (status >= 300) return `NOT traded: ${escapeHtml(String(error))}`;
  const word = (tradeResult as { readonly status?: string } | null | undefined)?.status ?? 'Enqueued';
  return `Sent again: <b>${escapeHtml(word)}</b>, <code>${escapeHtml(String(requestId))}</code>`;
}

export const refusalList = (found: readonly RefusedSignal[]): string =>
  list('Refused signals (UTC)', found.map(refusalLine), 'None.');

function refusalLine({ id, receivedAtMs, keyLabel, code, error, signal, resentAs }: RefusedSignal): string {
  const at = new Date(receivedAtMs).toISOString().slice(5, 19).replace('T', ' ');
  const what = signal ? ` ${signal.order.action} ${signal.order.symbol}` : '';
  const after = resentAs === undefined ? '' : `; sent again as <code>${escapeHtml(resentAs)}</code>`;
  return `${at}${escapeHtml(what)} (${escapeHtml(keyLabel ?? 'no key')}): <b>${escapeHtml(code)}</b>, ${escapeHtml(error)}${after}\n<code>${escapeHtml(id)}</code>`;
}
