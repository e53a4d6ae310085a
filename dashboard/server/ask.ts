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
  readonly signal?: AbortSignal;
}

/** Resolves with the whole answer. */
export async function ask<Answer>(path: string, { method = 'GET', body, signal }: Question = {}): Promise<Answer> {
  const response = await fetch(path, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    ...(signal !== undefined && { signal }),
  }).catch((error: Error) => {
    if (error.name === 'AbortError') throw error;
    throw new Refused(NO_ANSWER, { status: 0 });
  });
  const answer = (await response.json().catch(() => undefined)) as (Answer & ErrorBody) | undefined;
  if (response.ok && answer !== undefined) return answer;
  if (response.status === 401) for (const listener of shutListeners) listener();
  throw new Refused(answer?.error ?? `Signalbox answered with status ${response.status}.`, {
    status: response.status,
    ...(answer?.code !== undefined && { code: answer.code }),
    ...(answer?.faults !== undefined && { faults: answer.faults }),
  });
}
