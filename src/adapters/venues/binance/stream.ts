// Binance's user data stream: a listen key names it, and it falls silent an hour after the last sign of life.

import { fieldsOf } from '../../read-json.ts';
import type { StreamWord } from '../../stream-follower.ts';
import { AnswerReader } from '../read-answer.ts';
import type { AccountNews, AccountStream, AdapterParts } from '../venue-adapter.ts';
import type { VenueCall } from '../venue-call.ts';
import { READ, TITLE } from './dialect.ts';

const read = new AnswerReader(TITLE);
const KEEP_ALIVE_MS = 30 * 60_000;

const listenKeyCall = (method: 'POST' | 'PUT'): VenueCall => ({
  ...{ method, section: 'fapiPrivate', path: 'listenKey', cost: READ(1) },
});

export function createStream(
  { client, streamUrl }: Pick<AdapterParts, 'client' | 'streamUrl'>,
  listeners: readonly { hear(message: unknown): void }[],
): AccountStream {
  const hear = (message: unknown): StreamWord<AccountNews> => {
    for (const listener of listeners) listener.hear(message);
    return readEvent(message);
  };
  return {
    async plan() {
      const listenKey = read.text(fieldsOf(await client.send(listenKeyCall('POST'))).listenKey);
      return { url: `${streamUrl}/${encodeURIComponent(listenKey)}`, read: hear };
    },
    keepAlive: {
      everyMs: KEEP_ALIVE_MS,
      async send() {
        await client.send(listenKeyCall('PUT'));
      },
    },
  };
}

function readEvent(message: unknown): StreamWord<AccountNews> {
  const { e: type, o: order } = fieldsOf(message);
  if (type === 'listenKeyExpired') return { kind: 'fault', reason: `${TITLE} has let the stream expire` };
  const { c: clientOrderId, caid: clientStopId, X: state } = fieldsOf(order);
  if (type === 'ORDER_TRADE_UPDATE' && typeof clientOrderId === 'string')
    return { kind: 'news', news: [clientOrderId] };
  // Of a stop that waits there is nothing to be read back.
  if (type === 'ALGO_UPDATE' && typeof clientStopId === 'string' && state !== 'NEW')
    return { kind: 'news', news: [clientStopId] };
  return { kind: 'nothing' };
}
