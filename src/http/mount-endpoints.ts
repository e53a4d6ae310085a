// Puts endpoints on an app, each behind its gate: the only way to add a route, so that no route is without a door.
import { encodeAnswer, responseOf } from './answer.ts';
import type { App, RoutedApp } from './app.ts';
import type { KitContext } from './context.ts';
import { type Door, doorOf, type Endpoint, type EndpointDoc, type EndpointHandler } from './endpoint.ts';
import { readBody } from './read-body.ts';
import { refuseUnknownQuery } from './unknown-query.ts';

/** Throws a refusal, or lets the call pass. */
export type Gate = (c: KitContext) => Promise<void> | void;

/** The gates of one service. The internal one is always there, because it stands before whatever declares no door. */
export type Gates = { readonly internal: Gate } & Partial<Readonly<Record<Exclude<Door, 'public' | 'internal'>, Gate>>>;

const OPEN: Gate = () => {};

/** Puts every endpoint on the app behind its gate, in this order: of two paths that match, the first one answers. */
export function mountEndpoints(app: App, endpoints: readonly Endpoint[], gates: Gates): void {
  const routed = app as RoutedApp;
  for (const prefix of internalPrefixes(endpoints, routed.endpoints)) {
    routed.use(`${prefix}/*`, async (c, next) => {
      await gates.internal(c);
      await next();
    });
  }
  for (const endpoint of endpoints) {
    const gate = gateOf(endpoint, gates);
    const handler = handlerOf(endpoint);
    routed.on(endpoint.method.toUpperCase(), honoPath(endpoint.path), async (c) => {
      if (endpoint.bodyLimitBytes !== undefined) c.set('bodyLimitBytes', endpoint.bodyLimitBytes);
      await gate(c);
      refuseUnknownQuery(c, endpoint);
      return handler(c);
    });
    routed.endpoints.push(endpoint);
  }
}

/**
 * First words of paths behind which everything is internal. Below them a stranger is refused before anything else, so
 * that nobody learns from a 404 or a 405 what this release has.
 */
export function internalPrefixes(
  endpoints: readonly EndpointDoc[],
  alreadyThere: readonly EndpointDoc[] = [],
): readonly string[] {
  const wordOf = ({ path }: EndpointDoc): string => `/${path.split('/')[1]}`;
  const isInternal = (endpoint: EndpointDoc): boolean => doorOf(endpoint) === 'internal';
  const inside = endpoints.filter(isInternal).map(wordOf);
  const open = new Set([...alreadyThere, ...endpoints].filter((endpoint) => !isInternal(endpoint)).map(wordOf));
  return [...new Set(inside)].filter((word) => !open.has(word));
}

function gateOf(endpoint: Endpoint, gates: Gates): Gate {
  const door = doorOf(endpoint);
  const gate = door === 'public' ? OPEN : gates[door];
  if (gate === undefined) {
    const name = `${endpoint.method.toUpperCase()} ${endpoint.path}`;
    throw new Error(
      `${name} has the door "${door}", but its service has no such gate. Hand the gate to mountEndpoints.`,
    );
  }
  return gate;
}

function handlerOf({ handler, answer, onUnread }: Endpoint): EndpointHandler {
  if (handler !== undefined) return handler;
  return async (c) => {
    const requestId = c.get('requestId');
    const clientAddress = c.get('clientAddress');
    const body = await readBody(c).catch((fault) => {
      onUnread?.(fault, { requestId, clientAddress });
      throw fault;
    });
    return responseOf(
      encodeAnswer(await answer({ requestId, body, clientAddress, headers: (name) => c.req.header(name) }), requestId),
    );
  };
}

const honoPath = (path: string): string => path.replace(/\{([^}]+)\}/g, ':$1');
