// Builds the Hono app of one service: request id, client address, security headers, log, metrics and errors in shape.
import { Hono } from 'hono';
import { matchedRoutes } from 'hono/route';
import { completeHeaders, encodeAnswer, responseOf } from './answer.ts';
import { type KitContext, type KitEnv, peerOf } from './context.ts';
import type { Endpoint } from './endpoint.ts';
import { CLIENT_GONE_STATUS, Refusal } from './errors.ts';
import { createKit, type Kit, type KitOptions } from './kit.ts';

/** The web framework's own app, with the table of what was mounted on it. */
export type RoutedApp = Hono<KitEnv> & { readonly kit: Kit; readonly endpoints: Endpoint[] };

/** What services get: without the framework's own ways to add a route, since mountEndpoints is the only one. */
export type App = Omit<
  RoutedApp,
  'get' | 'post' | 'put' | 'patch' | 'delete' | 'options' | 'all' | 'on' | 'endpoints'
> & {
  readonly endpoints: readonly Endpoint[];
};

const ASKED_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Every path nobody registered counts under this one name, so that a scanner cannot fill the metrics. */
export const UNMATCHED = 'unmatched';

export function createApp(options: KitOptions): RoutedApp {
  const kit = createKit(options);
  const app: RoutedApp = Object.assign(new Hono<KitEnv>(), { kit, endpoints: [] });

  const failed = (thrown: unknown, requestId: string): Response =>
    responseOf(encodeAnswer(kit.fail(thrown, requestId), requestId));

  app.use(async (c, next) => {
    const exchange = kit.begin(peerOf(c), c.req.header('x-forwarded-for'));
    c.set('bodyLimitBytes', options.defaultBodyLimitBytes);
    c.set('requestId', exchange.requestId);
    c.set('clientAddress', exchange.clientAddress);
    try {
      await next();
    } catch (thrown) {
      // Hono hands on whatever is thrown that is no Error.
      c.res = failed(thrown, exchange.requestId);
    }
    completeHeaders(c.res, exchange.requestId);
    const cookie = c.get('setCookie');
    if (cookie !== undefined) c.res.headers.append('set-cookie', cookie);
    kit.finishOf(c.req.method, c.req.path, routeOf(c))(exchange, isGone(c) ? CLIENT_GONE_STATUS : c.res.status);
  });

  app.onError((thrown, c) => failed(thrown, c.get('requestId')));

  app.notFound((c) => {
    c.set('unmatched', true);
    return failed(nothingHere(app, c.req.path), c.get('requestId'));
  });

  return app;
}

/** The methods a path really answers; none where there is nothing. */
export function methodsAt(app: App, path: string): string[] {
  const methods = ASKED_METHODS.filter((method) => isRegistered(app, method, path));
  // Hono answers HEAD wherever there is a GET.
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}

function nothingHere(app: App, path: string): Refusal {
  const allow = methodsAt(app, path).join(', ');
  if (allow === '') return new Refusal('NOT_FOUND');
  return new Refusal('METHOD_NOT_ALLOWED', `This path answers ${allow} only.`, { headers: { allow } });
}

/** Middleware is registered for ALL methods and says nothing about what a path answers. */
function isRegistered(app: App, method: string, path: string): boolean {
  const [handlers] = app.router.match(method, path);
  return handlers.some(([[, route]]) => route.method === method);
}

/** The work is done and stays done, but the log must not say that anybody was told. */
const isGone = (c: KitContext): boolean => (c.env as KitEnv['Bindings'] | undefined)?.outgoing?.destroyed === true;

function routeOf(c: KitContext): string {
  if (c.get('unmatched')) return UNMATCHED;
  return matchedRoutes(c)[c.req.routeIndex]?.path ?? UNMATCHED;
}
