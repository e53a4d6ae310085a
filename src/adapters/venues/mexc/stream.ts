// MEXC's private stream: one signs in, and the account's orders come without further asking.

import { fieldsOf, wordsOf } from '../../read-json.ts';
import type { StreamWord } from '../../stream-follower.ts';
import type { AccountNews, AccountStream, AdapterParts } from '../venue-adapter.ts';
import { TITLE } from './dialect.ts';
import type { SentStops } from './sent-stops.ts';

const PING = JSON.stringify({ method: 'ping' });

export function createStream(
  { client, signer, streamUrl, nowMs }: AdapterParts,
  stops: Pick<SentStops, 'idOfOrder' | 'idOfPlan'>,
): AccountStream {
  const read = (message: unknown) => readMessage(message, stops);
  return {
    async plan() {
      const requestTime = String(nowMs() + (await client.readClock()));
      const signature = signer.signText(`${signer.apiKey}${requestTime}`);
      const param = { apiKey: signer.apiKey, reqTime: requestTime, signature };
      return { url: streamUrl, subscribe: JSON.stringify({ method: 'login', param }), ping: PING, read };
    },
  };
}

function readMessage(message: unknown, stops: Pick<SentStops, 'idOfOrder' | 'idOfPlan'>): StreamWord<AccountNews> {
  const { channel, data } = fieldsOf(message);
  if (channel === 'rs.error') return { kind: 'refused', reason: `${TITLE}: ${wordsOf(data)}` };
  if (channel === 'rs.login')
    return data === 'success' ? { kind: 'ready' } : { kind: 'refused', reason: `${TITLE}: ${wordsOf(data)}` };
  const { externalOid, orderId, id } = fieldsOf(data);
  const told =
    channel === 'push.personal.order'
      ? (stops.idOfOrder(orderId) ?? externalOid)
      : channel === 'push.personal.plan.order'
        ? stops.idOfPlan(id)
        : undefined;
  return typeof told === 'string' ? { kind: 'news', news: [told] } : { kind: 'nothing' };
}
