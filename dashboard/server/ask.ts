// Questions to our own server: one way to ask, one kind of error, in the server's own words.

import { TimeLimit } from './time-limit.ts';

/** What the server said instead of an answer, or that it said nothing (status 0). */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  readonly faults: readonly string[];
  /** Of what is there by now, where another one has changed it. */
  readonly revision: number | undefined;
  /** Of what was done already, where this would have been the second time. */
  readonly originalRequestId: string | undefined;
  /** All that came with it, for who knows what that is. */
  readonly answer: unknown;

  constructor(
    message: string,
    {
      status,
      code = '',
      faults = [],
      revision,
      originalRequestId,
      answer,
    }: Omit<ErrorBody, 'error' | 'message'> & { status: number; answer?: unknown },
  ) {
    super(message);
    this.name = 'Refused';
    this.status = status;
    this.code = code;
    this.faults = faults;
    this.revision = revision;
    this.originalRequestId = originalRequestId;
    this.answer = answer;
  }
}

export const NO_ANSWER = 'Signalbox does not answer. Is it running?';

const QUESTION_WITHIN_MS = 20_000;
/** A change may wait for a venue. */
const CHANGE_WITHIN_MS = 60_000;
/** For what is known to take long: a script over years of bars, every venue or channel tried in turn. */
export const SLOW_WITHIN_MS = 180_000;

/** What a request does at the server: nothing, something, or something that its key keeps from being done twice. */
export type Effect = 'none' | 'some' | 'once';

/** Where no answer came, or none that can be read. */
const IN_DOUBT: Readonly<Record<Effect, string>> = {
  none: '',
  some: ' It may have been done all the same: look before you send it again.',
  once: ' It may have been done all the same. You can send it again from this tab: it is never done twice.',
};

export interface ErrorBody {
  readonly error?: string;
  /** What services with keys of their own say instead. */
  readonly message?: string;
  readonly code?: string;
  readonly faults?: readonly string[];
  readonly revision?: number;
  readonly originalRequestId?: string;
}

type Listener = () => void;
const shutListeners = new Set<Listener>();

/** Calls the listener whenever the server no longer lets this page in; returns how to stop. */
export function whenShutOut(listener: Listener): () => void {
  shutListeners.add(listener);
  return () => void shutListeners.delete(listener);
}

/** The server has ended what let this page in. */
export function tellShutOut(): void {
  for (const listener of shutListeners) listener();
}

export interface Question {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  /** The user's own key, where a session opens nothing. A 401 is then about that one, and says nothing of this page. */
  readonly key?: string | undefined;
  /** The same with a token that has a header of its own. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Only `GET` has none unless it is said. */
  readonly effect?: Effect;
  readonly withinMs?: number;
}

/** Resolves with the whole answer. */
export async function ask<Answer>(path: string, question: Question = {}): Promise<Answer> {
  const { method = 'GET', body, key, headers, signal } = question;
  const { effect = method === 'GET' ? 'none' : 'some' } = question;
  const { withinMs = method === 'GET' ? QUESTION_WITHIN_MS : CHANGE_WITHIN_MS } = question;
  const limit = new TimeLimit(withinMs, signal);
  try {
    const response = await fetch(path, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: limit.signal,
    });
    const answer = jsonOf(await response.text()) as (Answer & ErrorBody) | undefined;
    const isOwn = key === undefined && headers === undefined;
    if (!response.ok) throw refusalOf(response, answer, isOwn);
    if (answer !== undefined) return answer;
    const { status } = response;
    throw new Refused(`Signalbox gave an answer that cannot be read.${IN_DOUBT[effect]}`, { status });
  } catch (error) {
    if (error instanceof Refused || signal?.aborted) throw error;
    throw new Refused(`${limit.isOver ? limit.words : NO_ANSWER}${IN_DOUBT[effect]}`, { status: 0 });
  } finally {
    limit.clear();
  }
}

/** In the server's words. `isOwn`: nothing but its session let the page in, so that a 401 ends it. */
export function refusalOf({ status }: Response, answer: ErrorBody | undefined, isOwn: boolean): Refused {
  if (status === 401 && isOwn) tellShutOut();
  return new Refused(answer?.error ?? answer?.message ?? `Signalbox answered with status ${status}.`, {
    ...{ status, answer },
    ...(answer?.code !== undefined && { code: answer.code }),
    ...(answer?.faults !== undefined && { faults: answer.faults }),
    ...(answer?.revision !== undefined && { revision: answer.revision }),
    ...(answer?.originalRequestId !== undefined && { originalRequestId: answer.originalRequestId }),
  });
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
