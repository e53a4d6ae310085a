// How one process of ours asks another one to take a connection of a client as if it had come there by itself: an upgrade of HTTP that
// names the client's address, with a proof that only our own processes can give. Behind the answer 101 come the client's own bytes.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { canonicalAddress, isLoopbackAddress } from './client-address.ts';

const PROTOCOL = 'signalbox-connection';
const PEER = 'x-signalbox-client';
const PROOF = 'x-signalbox-proof';
/**
 * Whoever stands by himself and reads this at the beginning of a connection must not hand it on: it would go round for ever. Without
 * the version, which a load balancer between the two may write anew.
 */
const FIRST_BYTES = Buffer.from('GET /.signalbox/connection');

export const TAKEN = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${PROTOCOL}\r\n\r\n`;

/** The token itself does not go over the wire for this. */
export const proofBy = (token: string): string =>
  createHmac('sha256', token).update('this connection is of a client of mine').digest('hex');

export const handOnText = (host: string, peer: string, proof: string): string =>
  `${FIRST_BYTES} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: ${PROTOCOL}\r\n${PEER}: ${peer}\r\n${PROOF}: ${proof}\r\n\r\n`;

/** Undefined while it is too short to tell. */
export function asksInFirstBytes(bytes: Buffer): boolean | undefined {
  const length = Math.min(bytes.length, FIRST_BYTES.length);
  if (!bytes.subarray(0, length).equals(FIRST_BYTES.subarray(0, length))) return false;
  return length === FIRST_BYTES.length ? true : undefined;
}

export const asksToTake = ({ headers }: IncomingMessage): boolean => headers.upgrade?.trim().toLowerCase() === PROTOCOL;

/** The client, as this process would see him; undefined where the request is not of a process of ours. */
export function handedPeer({ headers, socket }: IncomingMessage, proof: string): string | undefined {
  const given = Buffer.from(String(headers[PROOF]));
  const wanted = Buffer.from(proof);
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
  const peer = canonicalAddress(String(headers[PEER]));
  // It is on the machine of whoever tells this, and that machine's address is what we see.
  return peer !== undefined && isLoopbackAddress(peer) ? socket.remoteAddress : peer;
}
