// Discord as a channel: one message by the webhook of a Discord channel, as plain text that calls nobody.

import type { ChannelNotifier } from '../../trading/notifications/notifier.ts';
import { cutTo } from './cut-to.ts';
import { postNotice } from './post-notice.ts';

/** A message holds so many characters, the backslashes before marks included. */
const MAX_CHARS = 2000;
/** Leaves room for those. */
const SHARED_UNITS = 1500;
/** No preview of addresses in the text. */
const SUPPRESS_EMBEDS = 4;

export function createDiscordNotifier({ url }: { readonly url: string }): ChannelNotifier {
  return {
    channel: 'discord',
    sharedUnits: SHARED_UNITS,
    send: ({ text }) =>
      postNotice({
        url: waitingFor(url),
        body: JSON.stringify({
          content: cutTo(literal(text), MAX_CHARS),
          allowed_mentions: { parse: [] },
          flags: SUPPRESS_EMBEDS,
        }),
        remedy: 'Is the webhook deleted? Make a new one in Discord and set DISCORD_WEBHOOK_URL',
      }),
  };
}

/** With it Discord answers after the message is there, and with the reason when it is not. */
function waitingFor(url: string): string {
  const whole = new URL(url);
  whole.searchParams.set('wait', 'true');
  return whole.href;
}

/** Marks anywhere, links and mentions among them, and the backslash itself; and those that count where a line begins. */
const MARK = /[\\*_~`|[\]<]/;
const MARK_IN_FRONT = /[>#-]/;

/** Pieces that must stay whole; a name like my_long_name must not turn into italics, nor a comment into a link. */
const literal = (text: string): readonly string[] =>
  text
    .split('\n')
    .flatMap((line, index) => [
      ...(index === 0 ? [] : ['\n']),
      ...Array.from(line, (sign, at) =>
        MARK.test(sign) || (at === 0 && MARK_IN_FRONT.test(sign)) ? `\\${sign}` : sign,
      ),
    ]);
