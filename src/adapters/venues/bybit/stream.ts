// Bybit's private stream: one signs in, then subscribes to the orders of the account.

import { fieldsOf, wordsOf } from '../../read-json.ts';
import type { StreamWord } from '../../stream-follower.ts';
import type { AccountNews, AccountStream, AdapterParts } from '../venue-adapter.ts';
import { TITLE } from './dialect.ts';

/** The signature is good until then, by the venue's clock, which may differ from ours. */
const SIGNED_FOR_MS = 60_000;
const SUBSCRIBE = JSON.stringify({ op: 'subscribe', args: ['order.linear'] });
const PING = JSON.stringify({ op: 'ping' });

export function createStream({ client, signer, streamUrl, nowMs }: AdapterParts): AccountStream {
  return {
    async plan() {
      const expiresMs = nowMs() + (await client.readClock()) + SIGNED_FOR_MS;
      const signature = signer.signText(`GET/realtime${expiresMs}`);
      const subscribe = JSON.stringify({ op: 'auth', args: [signer.apiKey, expiresMs, signature] });
      return { url: streamUrl, subscribe, ping: PING, read: readMessage };
    },
  };
}

function readMessage(message: unknown): StreamWord<AccountNews> {
  const { op, success, ret_msg: words, topic, data } = fieldsOf(message);
  if (success === false) return { kind: 'refused', reason: `${TITLE}: ${wordsOf(words)}` };
  if (op === 'auth') return { kind: 'answer', text: SUBSCRIBE };
  if (op === 'subscribe') return { kind: 'ready' };
  if (topic !== 'order.linear' || !Array.isArray(data)) return { kind: 'nothing' };
  return { kind: 'news', news: data.map((row) => String(fieldsOf(row).orderLinkId)) };
}
