// How we sign what we send to web addresses: with the time and a shared secret, so that a receiver knows who sent it and when.

import { createHmac } from 'node:crypto';

/** The value of the header `signalbox-signature`. The time is signed too, so that a receiver can refuse what somebody recorded and sends again later. */
export function signatureOf(secret: string, atMs: number, body: string): string {
  return `t=${atMs},v1=${createHmac('sha256', secret).update(`${atMs}.${body}`).digest('hex')}`;
}
