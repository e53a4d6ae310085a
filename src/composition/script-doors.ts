// The doors of the script process at the trading process's port: what is passed on, and what is said while nobody is behind them.

import type { IncomingMessage, RequestListener } from 'node:http';
import { createClientAddress } from '../http/client-address.ts';
import { useCors } from '../http/cors.ts';
import { type ErrorShape, type ErrorTable, Refusal } from '../http/errors.ts';
import { gateRequestOfIncoming } from '../http/internal-auth.ts';
import { nodeListener } from '../http/node-listener.ts';
import type { Origins } from '../http/origins.ts';
import { createReverseProxy } from '../http/reverse-proxy.ts';
import type { Sockets } from '../http/server.ts';
import { refuseHandshake } from '../http/socket-handshake.ts';
import { statusShape } from '../http/status-shape.ts';
import { ANALYSIS_ERRORS } from '../services/analysis/errors.ts';
import { GATEWAY_ERRORS, gatewayShape } from '../services/gateway/index.ts';
import type { ProcessContext } from './process-context.ts';
import { createOwnerOf } from './script-paths.ts';

export interface ScriptDoors {
  readonly sockets: Sockets;
  /** Serves what belongs to the script process, and hands everything else to the trading process. */
  inFrontOf(trading: RequestListener): RequestListener;
}

export const AWAY = 'scripts and analysis are being started again; try again in a second';
const RETRY = { headers: { 'retry-after': '1' } };

export interface ScriptDoorsParts {
  readonly context: ProcessContext;
  readonly origins: Origins;
  /** Undefined while nobody is behind the doors. */
  readonly socketPath: () => string | undefined;
  /** Until the first start has come to something; undefined from then on. */
  readonly firstStart: () => Promise<void> | undefined;
}

export function createScriptDoors(parts: ScriptDoorsParts): ScriptDoors {
  const { context, origins, socketPath, firstStart } = parts;
  const { config, requestIds } = context;
  const ownerOf = createOwnerOf(config.services);
  const away = (errors: ErrorTable, shape: ErrorShape): RequestListener => {
    const app = context.makeApp('scripts', errors, shape);
    useCors(app, { origins });
    app.use(() => {
      throw new Refusal('UNAVAILABLE', AWAY, RETRY);
    });
    return nodeListener(app);
  };
  const scriptsAway = away(ANALYSIS_ERRORS, statusShape);
  const adminAway = away({ ...GATEWAY_ERRORS, UNAVAILABLE: ANALYSIS_ERRORS.UNAVAILABLE }, gatewayShape);
  const proxy = createReverseProxy({
    target: socketPath,
    // Only where a session counts: what keys rule is none of its business.
    vouchFor: (incoming) => ownerOf(incoming.url) === 'script admin' && isOwner(incoming),
    onUnavailable: (incoming, outgoing) =>
      (ownerOf(incoming.url) === 'script admin' ? adminAway : scriptsAway)(incoming, outgoing),
    onSocketUnavailable: (_, socket) => void refuseHandshake(socket, 'AWAY', requestIds(), statusShape),
  });
  const clientAddress = createClientAddress(context.trustedProxies);
  /** The owner's endpoints of that process are behind the same gate as ours; of sessions only this process knows. */
  const isOwner = async (incoming: IncomingMessage): Promise<boolean> => {
    try {
      const request = gateRequestOfIncoming(incoming, clientAddress);
      return (await context.gate.checkSession(request, { mayRotate: false })) !== undefined;
    } catch (error) {
      // No app is around this to answer for it.
      context.log.error({ err: error }, 'a session could not be looked at');
      return false;
    }
  };
  /** Trading is there sooner. Whoever has seen that it is, and asks for bars at once, waits a second instead of asking twice. */
  const passOn: RequestListener = (incoming, outgoing) => {
    const starting = firstStart();
    if (starting === undefined) return void proxy.serve(incoming, outgoing);
    void starting.then(() => {
      if (!outgoing.destroyed) proxy.serve(incoming, outgoing);
    });
  };
  return {
    sockets: proxy,
    inFrontOf: (trading) => (incoming, outgoing) =>
      (ownerOf(incoming.url) === 'trading' ? trading : passOn)(incoming, outgoing),
  };
}
