// Talks to the gateway's routes: over HTTP to a running instance, or through any function that answers like fetch.

import { errorText } from '../errors/error-text.ts';
import type { Connection, Method } from './host.ts';

/** Longer than a running instance waits for an exchange that takes a request and does not answer it. */
const CALL_TIMEOUT_MS = 30_000;

export type Fetch = (path: string, init: RequestInit) => Promise<Response> | Response;

export function connectThrough(
  fetch: Fetch,
  where: string,
  token: string | undefined,
  { running, close }: Pick<Connection, 'running' | 'close'>,
): Connection {
  return {
    where,
    running,
    close,
    async call(method: Method, path: string, body?: object, key?: string) {
      const headers: Record<string, string> = { 'x-signalbox-actor': 'cli', host: 'localhost' };
      if (token !== undefined) headers['x-internal-auth-key'] = token;
      if (key !== undefined) headers.authorization = `Bearer ${key}`;
      const init: RequestInit = { method, headers };
      if (body !== undefined) {
        headers['content-type'] = 'application/json';
        init.body = JSON.stringify(body);
      }
      const response = await fetch(path, init);
      return { status: response.status, body: await bodyOf(response, where) };
    },
  };
}

async function bodyOf(response: Response, where: string): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${where} does not answer like Signalbox (status ${response.status}); check --url`);
  }
}

const NOT_THERE = 'is Signalbox running there? Start it with "signalbox start"';

interface HttpOptions {
  readonly timeoutMs?: number;
  /** What to do where nobody listens. */
  readonly whenAway?: string;
}

export function connectOverHttp(
  url: string,
  token: string | undefined,
  { timeoutMs = CALL_TIMEOUT_MS, whenAway = NOT_THERE }: HttpOptions = {},
): Connection {
  const base = url.replace(/\/+$/, '');
  const fetchThere: Fetch = async (path, init) => {
    try {
      return await fetch(base + path, { ...init, signal: AbortSignal.timeout(timeoutMs) });
    } catch (error) {
      if (error instanceof DOMException && error.name === 'TimeoutError') throw new Error(unanswered(base, timeoutMs));
      const cause = errorText((error as Error).cause ?? error);
      throw new Error(`${base} cannot be reached (${cause}); ${whenAway}`);
    }
  };
  return connectThrough(fetchThere, base, token, { running: true, close: async () => {} });
}

/** It runs, and what was asked may be done: whoever takes it for dead would do it again. */
const unanswered = (base: string, timeoutMs: number): string =>
  `${base} has not answered within ${timeoutMs / 1000} s, and may still do what was asked; look at "signalbox trades" and "signalbox stops" before you say it again, and at "signalbox doctor" for what holds it up`;
