// Questions to our own server: one way to ask, one kind of error, in the server's own words.

/** What the server said instead of an answer, or that it said nothing (status 0). */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  readonly faults: readonly string[];

  constructor(
    message: string,
    { status, code = '', faults = [] }: { status: number; code?: string; faults?: readonly string[] },
  ) {
    super(message);
    this.name = 'Refused';
    this.status = status;
    this.code = code;
    this.faults = faults;
  }
}

const NO_ANSWER = 'Signalbox does not answer. Is it running?';

interface ErrorBody {
  readonly error?: string;
  /** What services with keys of their own say instead. */
  readonly message?: string;
  readonly code?: string;
  readonly faults?: readonly string[];
}

type Listener = () => void;
const shutListeners = new Set<Listener>();

/** Calls the listener whenever the server no longer lets this page in; returns how to stop. */
export function whenShutOut(listener: Listener): () => void {
  shutListeners.add(listener);
  return () => void shutListeners.delete(listener);
}

export interface Question {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  /** The user's own key, where a session opens nothing. A 401 is then about that one, and says nothing of this page. */
  readonly key?: string | undefined;
  /** The same with a token that has a header of its own. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Resolves with the whole answer. */
export async function ask<Answer>(path: string, question: Question = {}): Promise<Answer> {
  const { method = 'GET', body, key, headers, signal } = question;
  const response = await fetch(path, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  }).catch((error: Error) => {
    if (error.name === 'AbortError') throw error;
    throw new Refused(NO_ANSWER, { status: 0 });
  });
  const answer = (await response.json().catch(() => undefined)) as (Answer & ErrorBody) | undefined;
  if (response.ok && answer !== undefined) return answer;
  const isOwn = key === undefined && headers === undefined;
  if (response.status === 401 && isOwn) for (const listener of shutListeners) listener();
  throw new Refused(answer?.error ?? answer?.message ?? `Signalbox answered with status ${response.status}.`, {
    status: response.status,
    ...(answer?.code !== undefined && { code: answer.code }),
    ...(answer?.faults !== undefined && { faults: answer.faults }),
  });
}
