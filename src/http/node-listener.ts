// Hands requests of node:http to the web framework, and answers in shape what never becomes a request there.
import type { IncomingMessage, RequestListener } from 'node:http';
import { getRequestListener, RequestError } from '@hono/node-server';
import { encodeAnswer, responseOf } from './answer.ts';
import { type App, UNMATCHED } from './app.ts';
import type { KitEnv } from './context.ts';
import { Refusal } from './errors.ts';
import type { Kit } from './kit.ts';
import type { Origin } from './passed-on.ts';

/** `originOf` tells who is behind a request where the socket's other end is another process of ours. */
export function nodeListener(
  app: Pick<App, 'fetch' | 'kit'>,
  originOf?: (incoming: IncomingMessage) => Origin,
): RequestListener {
  const fetch: typeof app.fetch =
    originOf === undefined
      ? app.fetch
      : (request, env) => {
          const bindings = env as KitEnv['Bindings'] & { readonly incoming: IncomingMessage };
          return app.fetch(request, { ...bindings, ...originOf(bindings.incoming) });
        };
  const listener = getRequestListener(fetch, {
    errorHandler: (thrown) => answerOutsideApp(app.kit, thrown),
  });
  return (incoming, outgoing) => void listener(incoming, outgoing);
}

/** A request line or Host that forms no URL never reaches the app, but still gets an answer in shape. */
function answerOutsideApp(kit: Kit, thrown: unknown): Response {
  const exchange = kit.begin(undefined, undefined);
  const fault =
    thrown instanceof RequestError
      ? new Refusal('NOT_FOUND', 'The path or the Host header is malformed. Send a plain path and host.')
      : thrown;
  const encoded = encodeAnswer(kit.fail(fault, exchange.requestId), exchange.requestId);
  kit.finishOf('OTHER', '', UNMATCHED)(exchange, encoded.status);
  return responseOf(encoded);
}
