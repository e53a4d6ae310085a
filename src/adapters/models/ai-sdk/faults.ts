// What the AI SDK throws, as a fault in words: what kind it is, whether to try again, and never a key, an address or a prompt.

import { ModelFault, type ProviderName } from '../../../agent/model-provider.ts';

export interface FaultParts {
  readonly provider: ProviderName;
  readonly model: string;
  /** Cut out of whatever a server says. */
  readonly apiKey: string | undefined;
}

/** The fields of the SDK's errors that we read; of all classes alike, also of errors inside a stream. */
interface SdkError {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly statusCode?: unknown;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: unknown;
  readonly type?: unknown;
  readonly code?: unknown;
  readonly data?: { readonly error?: { readonly code?: unknown; readonly type?: unknown } };
}

const KEY_SETTING: Readonly<Record<ProviderName, string>> = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  google: 'GOOGLE_API_KEY',
  local: 'LOCAL_MODEL_KEY',
};
const URL_SETTING: Readonly<Record<ProviderName, string>> = {
  openai: 'OPENAI_BASE_URL',
  anthropic: 'ANTHROPIC_BASE_URL',
  google: 'GOOGLE_BASE_URL',
  local: 'LOCAL_MODEL_URL',
};
/** A server's own words are worth a sentence, not a page. */
const MAX_WORDS_CHARS = 300;
/** The SDK's classes for what it will not send as it is. */
const UNSENDABLE = /^AI_(?:UnsupportedFunctionality|InvalidPrompt|InvalidArgument|UnsupportedModelVersion)Error$/;
const NO_CREDIT_CODE = /insufficient_quota|billing/i;
const NO_CREDIT_WORDS = /credit balance is too low/i;
const WRONG_KEY = /api[ _-]?key (?:not valid|invalid|expired)|invalid api[ _-]?key/i;

export function faultOf(thrown: unknown, parts: FaultParts): ModelFault {
  if (thrown instanceof ModelFault) return thrown;
  const error: SdkError = typeof thrown === 'object' && thrown !== null ? thrown : {};
  const words = wordsOf(error, parts);
  const { statusCode: status } = error;
  if (typeof status === 'number') return faultOfStatus(status, error, words, parts);
  if (error.name === 'AI_APICallError') {
    const message = `it cannot be reached; check the network${parts.provider === 'local' ? ' and LOCAL_MODEL_URL' : ''}`;
    return new ModelFault('unreachable', message, { retryable: true });
  }
  if (typeof error.name === 'string' && UNSENDABLE.test(error.name))
    return new ModelFault('request', `it does not take this conversation${words}`);
  return new ModelFault('malformed', 'its answer could not be read');
}

function faultOfStatus(status: number, error: SdkError, words: string, parts: FaultParts): ModelFault {
  const { provider, model } = parts;
  const wait = retryAfter(error.responseHeaders);
  if (status < 300) return new ModelFault('malformed', 'its answer could not be read');
  if (status < 400)
    return new ModelFault('setup', `it points to another address (${status}); check ${URL_SETTING[provider]}`);
  if (status === 401 || status === 403 || (status === 400 && WRONG_KEY.test(String(error.message))))
    // Its own words may repeat a part of the key.
    return new ModelFault('setup', `it does not accept the key (${status}); check ${KEY_SETTING[provider]}`);
  if (status === 402 || (status < 500 && hasNoCredit(error)))
    return new ModelFault('setup', `the account has no credit left (${status}); see to its billing`);
  if (status === 404)
    return new ModelFault('setup', `it has no model ${model} (404); check AGENT_MODELS and ${URL_SETTING[provider]}`);
  if (status === 429)
    return new ModelFault('rate-limited', `too many requests (429)${words}`, { retryable: true, ...wait });
  if (status >= 500 || status === 408)
    return new ModelFault('server', `it is in trouble (${status})${words}`, { retryable: true, ...wait });
  return new ModelFault('request', `it does not take this conversation (${status})${words}`);
}

function hasNoCredit({ type, code, data, message }: SdkError): boolean {
  const codes = [type, code, data?.error?.type, data?.error?.code];
  return codes.some((given) => NO_CREDIT_CODE.test(String(given))) || NO_CREDIT_WORDS.test(String(message));
}

function wordsOf({ message }: SdkError, { apiKey }: FaultParts): string {
  if (typeof message !== 'string' || message.trim() === '') return '';
  const masked = apiKey ? message.replaceAll(apiKey, '***') : message;
  // One line: it may stand in a log or a chat.
  const line = masked.replace(/\s+/g, ' ').trim();
  return `: ${line.length > MAX_WORDS_CHARS ? `${line.slice(0, MAX_WORDS_CHARS)}…` : line}`;
}

/** Milliseconds, seconds, or a date; whatever else stands there says nothing. */
function retryAfter(headers: Readonly<Record<string, string>> = {}): { retryAfterMs?: number } {
  const inMs = headers['retry-after-ms'];
  const given = headers['retry-after'];
  // A date counts from the server's own clock, whatever ours says.
  const untilMs = Date.parse(given ?? '') - Date.parse(headers.date ?? '');
  const ms = [Number(inMs ?? Number.NaN), Number(given ?? Number.NaN) * 1000, untilMs];
  const retryAfterMs = ms.find((value) => Number.isFinite(value));
  return retryAfterMs === undefined ? {} : { retryAfterMs: Math.max(0, retryAfterMs) };
}
