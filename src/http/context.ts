// What every handler finds in its Hono context, and where the caller's socket address comes from.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'hono';
import { peerOfSocket } from './peers.ts';

export interface KitEnv {
  Bindings: {
    // Present behind a real socket.
    incoming?: IncomingMessage;
    outgoing?: ServerResponse;
    /** The socket's other end where that is not the client: a test that calls `app.request`, or the process at the door. */
    peer?: string | undefined;
    httpVersion?: string;
    /** Whoever is at the door has seen a session of the owner. */
    isVouched?: boolean;
  };
  Variables: {
    /** The app's own, until the endpoint that is called says its own. */
    bodyLimitBytes: number;
    requestId: string;
    clientAddress: string;
    body: Promise<Uint8Array> | undefined;
    unmatched: boolean;
    /** Of the session that the caller came in by. */
    sessionId: string | undefined;
    /** A cookie that goes out with the answer. */
    setCookie: string | undefined;
  };
}

export type KitContext = Context<KitEnv>;

export function peerOf(c: KitContext): string | undefined {
  // `app.request` without a third argument leaves the bindings undefined, whatever their type says.
  const bindings = c.env as KitEnv['Bindings'] | undefined;
  return bindings?.peer ?? (bindings?.incoming && peerOfSocket(bindings.incoming.socket));
}
