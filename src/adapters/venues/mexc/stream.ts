// MEXC's private stream: one signs in, and the account's orders come without further asking.

import type { StreamWord } from '../../stream-follower.ts';
import { fieldsOf, wordsOf } from '../read-answer.ts';
import type { AccountNews, AccountStream, AdapterParts } from '../venue-adapter.ts';
import { TITLE } from './dialect.ts';

const PING = JSON.stringify({ method: 'ping' });

export function createStream({ client, signer, streamUrl, nowMs }: AdapterParts): AccountStream {
  return {
    async plan() {
      const requestTime = String(nowMs() + (await client.readClock()));
      const signature = signer.signText(`${signer.apiKey}${requestTime}`);
      const param = { apiKey: signer.apiKey, reqTime: requestTime, signature };
      return { url: streamUrl, subscribe: JSON.stringify({ method: 'login', param }), ping: PING, read: readMessage };
    },
  };
}

function readMessage(message: unknown): StreamWord<AccountNews> {
  const { channel, data } = fieldsOf(message);
  if (channel === 'rs.error') return { kind: 'refused', reason: `${TITLE}: ${wordsOf(data)}` };
  if (channel === 'rs.login')
    return data === 'success' ? { kind: 'ready' } : { kind: 'refused', reason: `${TITLE}: ${wordsOf(data)}` };
  const { externalOid } = fieldsOf(data);
  if (channel !== 'push.personal.order' || typeof externalOid !== 'string') return { kind: 'nothing' };
  return { kind: 'news', news: [externalOid] };
}
