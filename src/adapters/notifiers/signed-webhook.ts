// A signed webhook as a channel: each notice as JSON to an address of the owner, with the time and a signature over both.

import type { ChannelNotifier } from '../../trading/notifications/notifier.ts';
import { postNotice } from './post-notice.ts';

export interface SignedWebhookOptions {
  readonly url: string;
  /** The signature of a body that leaves now. */
  readonly sign: (body: string) => string;
}

export function createSignedWebhook({ url, sign }: SignedWebhookOptions): ChannelNotifier {
  return {
    channel: 'webhook',
    // A program reads it: one notice, one request.
    sharedUnits: 0,
    send({ id, topic, text, atMs }) {
      const body = JSON.stringify({ id, topic, text, at: atMs });
      const headers = { 'idempotency-key': id, 'signalbox-signature': sign(body) };
      const remedy = 'Look at NOTIFY_WEBHOOK_URL, and whether its receiver knows NOTIFY_WEBHOOK_SECRET';
      return postNotice({ url, body, headers, remedy });
    },
  };
}
