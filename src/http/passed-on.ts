// What the process at the door tells the process behind it of a request it passes on: who is at the other end of the connection.
import type { IncomingMessage } from 'node:http';
import { peerOfSocket } from './peers.ts';

/**
 * Set anew on every request that is passed on, whatever the client wrote there. Only the process at the door can reach
 * the socket of the one behind it, so there the header is the truth.
 */
export const PEER_HEADER = 'x-signalbox-peer';

/** The connection a request came in by; behind the door that is not the one it is read from. */
export interface Origin {
  readonly peer: string | undefined;
  readonly httpVersion: string;
  /** A session of the owner was seen at the door; its cookie stays there. */
  readonly isVouched: boolean;
}

const VOUCHED = 'owner';

export const originText = ({ httpVersion, socket }: IncomingMessage, isVouched: boolean): string =>
  `${httpVersion} ${peerOfSocket(socket) ?? ''}${isVouched ? ` ${VOUCHED}` : ''}`;

/** Of a request that was passed on; nothing is known of one that names no origin. */
export function passedOrigin({ headers }: IncomingMessage): Origin {
  const text = headers[PEER_HEADER];
  const [httpVersion = '', peer = '', word] = typeof text === 'string' ? text.split(' ') : [];
  return { peer: peer === '' ? undefined : peer, httpVersion, isVouched: word === VOUCHED };
}
