// Lets web pages of allowed origins call a service and read its answers, errors included (CORS).
import type { MiddlewareHandler } from 'hono';
import { type App, methodsAt } from './app.ts';
import type { KitContext, KitEnv } from './context.ts';
import type { Origins } from './origins.ts';

export interface CorsOptions {
  readonly origins: Origins;
  /** Only these paths; every path of the app when left out. */
  readonly paths?: readonly string[];
}

/**
 * What a page may send. A charting client sends its key as X-API-Key too, beside Authorization, which is what counts; the
 * browser would stop the whole call for it. The admin token is not among them: keys are made by the owner, not by a page.
 */
const ALLOWED_HEADERS = 'Authorization, Content-Type, If-Match, If-None-Match, X-API-Key';

/** What a page may read besides the few headers that browsers always show. */
const EXPOSED_HEADERS = 'ETag, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id';

/** Saves nearly every preflight, and a changed ALLOWED_ORIGINS still reaches open pages within minutes. */
const MAX_AGE_SECONDS = 600;

/**
 * Call it before the routes. No answer ever allows credentials: pages show a key, and no cookie is known here, which is
 * also why * may be an allowed origin. Never for the internal endpoints: they trust this machine, and so its browser.
 */
export function useCors(app: App, { origins, paths = ['*'] }: CorsOptions): void {
  if (app.routes.some(({ method }) => method !== 'ALL')) {
    throw new Error('CORS comes too late for the routes that are there already. Call useCors before they are added.');
  }
  const handler: MiddlewareHandler<KitEnv> = async (c, next) => {
    const origin = c.req.header('origin');
    const isAllowed = origin !== undefined && origins.allows(origin);
    if (isAllowed && isPreflight(c)) {
      const methods = methodsAt(app, c.req.path);
      if (methods.length > 0) return answerPreflight(c, origin, methods);
    }
    try {
      await next();
    } finally {
      // Whatever is thrown becomes an answer further out, and takes these headers along.
      const { headers } = c.res;
      headers.append('vary', 'Origin');
      if (isAllowed) {
        headers.set('access-control-allow-origin', origin);
        headers.set('access-control-expose-headers', EXPOSED_HEADERS);
      }
    }
    return undefined;
  };
  for (const path of paths) app.use(path, handler);
}

const isPreflight = (c: KitContext): boolean =>
  c.req.method === 'OPTIONS' && c.req.header('access-control-request-method') !== undefined;

function answerPreflight(c: KitContext, origin: string, methods: readonly string[]): Response {
  // Asked by browsers that guard machines of the local network against pages from elsewhere; this page is welcome.
  const isPrivate = c.req.header('access-control-request-private-network') === 'true';
  return c.body(null, 204, {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': ALLOWED_HEADERS,
    'access-control-max-age': String(MAX_AGE_SECONDS),
    vary: 'Origin',
    ...(isPrivate ? { 'access-control-allow-private-network': 'true' } : {}),
  });
}
