// For the apps that tests put together in their own process: what they answer is compared, over a socket or without one.

import type { App } from '../../src/http/app.ts';
import { checkResponse, prepareChecker } from './check-answers.ts';

// While files are loaded, because the time limit of the first test would count it.
await prepareChecker();

export function checkAnswersOf<A extends Pick<App, 'fetch'>>(app: A): A {
  const answer = app.fetch;
  app.fetch = async (request, ...rest) => {
    const response = await answer(request, ...rest);
    await checkResponse(request.method, request.url, response);
    return response;
  };
  return app;
}
