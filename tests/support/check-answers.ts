// Every JSON answer that a test gets from the program is compared with openapi.json; one that differs fails the test.

import { apiDocument } from './api-document.ts';
import { type AnswerChecker, createAnswerChecker, type SeenAnswer } from './documented-answers.ts';

/**
 * Kept outside of this module, because a worker that runs many test files may load it anew for each of them: the
 * description is compiled once for all of them, and `fetch` is replaced once.
 */
interface Shared {
  checker?: Promise<AnswerChecker>;
  /** False outside of tests: benchmarks use some of the same clients, and there nothing is compared. */
  isWatching?: boolean;
  readonly faults: Set<string>;
}
const KEY = Symbol.for('signalbox.check-answers');
const holder = globalThis as typeof globalThis & { [KEY]?: Shared };
holder[KEY] ??= { faults: new Set() };
const shared: Shared = holder[KEY];

/** The first call in a worker loads the description, and in a run makes it; that takes seconds. */
export function prepareChecker(): Promise<AnswerChecker> {
  shared.checker ??= apiDocument().then(createAnswerChecker);
  return shared.checker;
}

/** Compares an answer that came by a road of the test's own, such as node:http or a page in a browser. */
export async function checkAnswer(answer: SeenAnswer): Promise<void> {
  if (!shared.isWatching) return;
  const fault = (await prepareChecker())(answer);
  if (fault !== undefined) shared.faults.add(fault);
}

export async function checkResponse(method: string, url: string, response: Response): Promise<void> {
  const contentType = response.headers.get('content-type');
  const isJson = contentType?.startsWith('application/json') === true;
  const text = isJson && method !== 'HEAD' ? await response.clone().text() : '';
  const path = new URL(url, 'http://localhost').pathname;
  await checkAnswer({ method, path, status: response.status, contentType, text });
}

/** Headers that the program gives to each of its answers, and the servers that stand for other programs do not. */
const isOurs = ({ headers }: Response): boolean =>
  headers.has('x-request-id') && headers.get('x-frame-options') === 'DENY';

/** For programs that run in a process of their own. */
function watchFetch(): void {
  const ask = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const response = await ask(input, init);
    const request = input instanceof Request ? input : undefined;
    const method = (init?.method ?? request?.method ?? 'GET').toUpperCase();
    if (isOurs(response)) await checkResponse(method, request?.url ?? String(input), response);
    return response;
  };
}

/** The answers since the last call that differ from their description. */
export function takeAnswerFaults(): readonly string[] {
  const faults = [...shared.faults];
  shared.faults.clear();
  return faults;
}

/** For the setup of every test file. */
export function watchAnswers(): void {
  if (!shared.isWatching) watchFetch();
  shared.isWatching = true;
}
