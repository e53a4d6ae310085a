// One address for several services: each has its own app, errors and shape, and the first word of a path says whose it is.

import type { App } from './app.ts';

export interface ServiceApp {
  readonly app: App;
  /** First words of its paths, such as `run` for /run and everything below it. */
  readonly firstWords: readonly string[];
}

export interface Front extends Pick<App, 'fetch' | 'kit'> {
  request(path: string, init?: RequestInit, env?: object): Promise<Response>;
}

/** What no other service claims belongs to the main one, with the paths that nobody knows. */
export function createFront(main: App, others: readonly ServiceApp[] = []): Front {
  const owners = new Map<string, App>();
  for (const { app, firstWords } of others) {
    for (const word of firstWords) {
      if (owners.has(word)) throw new Error(`Two services claim /${word}. Give it to one.`);
      owners.set(word, app);
    }
  }
  const ownerOf = (url: string): App => owners.get(firstWord(url)) ?? main;
  return {
    kit: main.kit,
    fetch: (request, env, context) => ownerOf(request.url).fetch(request, env, context),
    request: async (path, init, env) => ownerOf(`http://front${path}`).request(path, init, env),
  };
}

/** Of a whole address; its path begins at the first slash behind the host. */
function firstWord(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3) + 1;
  if (start === 0) return '';
  const end = url.slice(start).search(/[/?#]/);
  return end < 0 ? url.slice(start) : url.slice(start, start + end);
}
