// ntfy as a channel: one push message to a topic, with a priority and a tag by what it is about.

import type { ChannelNotifier, Notice } from '../../trading/notifications/notifier.ts';
import { cutTo } from './cut-to.ts';
import { postNotice } from './post-notice.ts';

export interface NtfyOptions {
  readonly server: string;
  readonly topic: string;
  readonly token: string | undefined;
}

/** Past this ntfy makes a file of the message, which nobody opens on a phone. */
const MAX_BYTES = 4096;
const SHARED_UNITS = 1000;
/** 3 is the usual one; 5 sounds through the night. */
const LOOKS: Readonly<Record<Notice['topic'], { readonly title: string; priority: number; tags: readonly string[] }>> =
  {
    trades: { title: 'Signalbox', priority: 3, tags: ['chart_with_upwards_trend'] },
    refusals: { title: 'Signalbox: refused', priority: 3, tags: ['no_entry'] },
    alarms: { title: 'Signalbox: alarm', priority: 5, tags: ['rotating_light'] },
    report: { title: 'Signalbox: daily report', priority: 2, tags: ['bar_chart'] },
    test: { title: 'Signalbox: test', priority: 3, tags: ['white_check_mark'] },
  };

export function createNtfyNotifier({ server, topic, token }: NtfyOptions): ChannelNotifier {
  return {
    channel: 'ntfy',
    sharedUnits: SHARED_UNITS,
    send: ({ topic: about, text }) =>
      postNotice({
        url: server,
        body: JSON.stringify({
          topic,
          message: cutTo(Array.from(text), MAX_BYTES, Buffer.byteLength),
          ...LOOKS[about],
        }),
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        remedy: 'Look at NTFY_URL, NTFY_TOPIC and NTFY_TOKEN: may this token write to this topic?',
      }),
  };
}
