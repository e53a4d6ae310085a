// Opens the owner's channels besides the chat, where any are set, and decides what reaches them.

import { createDiscordNotifier } from '../adapters/notifiers/discord.ts';
import { createNtfyNotifier } from '../adapters/notifiers/ntfy.ts';
import { createSignedWebhook } from '../adapters/notifiers/signed-webhook.ts';
import type { Telegram } from '../adapters/notifiers/telegram/index.ts';
import { signatureOf } from '../adapters/webhooks/signature.ts';
import type { Config, NoticeSettings } from '../config.ts';
import { errorText } from '../errors/error-text.ts';
import type { Metrics } from '../http/metrics.ts';
import type { NotifierDeps } from '../services/gateway/notifiers.ts';
import { foregroundTimers } from '../timing/timers.ts';
import type { ChannelOutbox } from '../trading/books/outbox.ts';
import { createAlarms, watchKillSwitch } from '../trading/chat/alarms.ts';
import type { Controls } from '../trading/intake/controls.ts';
import type { RefusedSignal } from '../trading/intake/refusals.ts';
import type { Restrictions } from '../trading/intake/restrictions.ts';
import { NoticeChannels, type NoticeChannelsParts } from '../trading/notifications/notice-channels.ts';
import type { RaisedAlarms } from '../trading/notifications/raised-alarms.ts';
import { WatchedNotifier } from '../trading/notifications/watched-notifier.ts';
import { monotonicMs, nowMs } from './clocks.ts';
import type { ProcessContext } from './process-context.ts';

export type Notices = Awaited<ReturnType<typeof openNotices>>;

interface NoticeParts {
  readonly context: ProcessContext;
  readonly telegram: Telegram | undefined;
  /** Without it nobody is told anything but a test. */
  readonly trade: boolean;
  readonly outbox: ChannelOutbox;
  readonly controls: Controls;
  readonly restrictions: Restrictions;
}

export async function openNotices(parts: NoticeParts) {
  const { context, telegram, trade, outbox, controls, restrictions } = parts;
  const { config, log, alarms, metrics } = context;
  const onLost = (error: unknown, text: string): void =>
    log.warn({ err: error, text }, 'a notice reached neither storage nor its channel');
  const channels = new NoticeChannels({
    channels: await notifiersOf(config.notices),
    ...{ outbox, alarms, nowMs, timers: foregroundTimers, onLost, count: countNotices(metrics) },
  });
  const ownerAlarms = createAlarms({
    send: (text, kind) => channels.tell('alarms', text, kind),
    ...{ monotonicMs, onLost },
  });
  const refusals = createAlarms({
    send: (text) => channels.tell('refusals', text),
    ...{ monotonicMs, onLost, words: { sign: 'Refused:', others: 'other refusals' } },
  });
  if (trade) {
    alarms.sendTo(ownerAlarms.raise);
    watchKillSwitch({ controls, restrictions, tell: ownerAlarms.tell, ownActor: undefined });
  }
  const chat = telegram && watchChat(telegram, alarms);
  metrics.gauge({
    name: 'notices_waiting',
    help: 'Notices that have not arrived at the channels of the owner yet.',
    collect: () => channels.waiting(),
  });
  return {
    channels,
    chat,
    notifiers: notifiersSeen({ config, telegram, chat, channels, outbox }),
    onTrouble: ownerAlarms.trouble,
    /** Strangers cannot make us write to the owner: only what came under a known key is told. */
    onRefusal({ keyLabel, door, code, error }: RefusedSignal): void {
      if (keyLabel === undefined) return;
      refusals.raise(`${keyLabel} ${code} ${error}`, `a signal of ${keyLabel} at ${door}: ${error} (${code})`);
    },
  };
}

/** A chat that takes nothing is news for the other channels, and for /ready. */
function watchChat(telegram: Telegram, alarms: RaisedAlarms): WatchedNotifier {
  alarms.sendTo((kind, text) => {
    if (kind !== TELEGRAM_ALARM) telegram.onAlarm(kind, text);
  });
  return new WatchedNotifier({
    notifier: telegram.notifier,
    nowMs,
    onTrouble: (reason) => alarms.stand(TELEGRAM_ALARM, `Messages by telegram do not arrive: ${reason}`),
    onRecovery: () => alarms.over(TELEGRAM_ALARM),
  });
}

const TELEGRAM_ALARM = 'channel telegram';

interface SeenParts extends Pick<NoticeParts, 'telegram' | 'outbox'> {
  readonly config: Pick<Config, 'telegram'>;
  readonly chat: WatchedNotifier | undefined;
  readonly channels: NoticeChannels;
}

/** All ways to the owner, the chat among them, as the interface shows and tests them. */
function notifiersSeen({ config, telegram, chat, channels, outbox }: SeenParts): NotifierDeps {
  const isSet = config.telegram.token !== undefined;
  const text = 'This is a test. What Signalbox tells you arrives here.';
  const testChat = async () => {
    if (telegram === undefined)
      return { channel: 'telegram', error: 'only a running Signalbox writes to Telegram; start it' };
    try {
      await telegram.notifier.send({ text, parseMode: 'Plain' });
      return { channel: 'telegram' };
    } catch (error) {
      return { channel: 'telegram', error: errorText(error) };
    }
  };
  const chatState = async () => ({
    channel: 'telegram',
    topics: config.telegram.defaultChat === undefined ? [] : CHAT_TOPICS,
    ...(chat?.watch ?? NOT_RUNNING),
    ...(await outbox.waiting('chat')),
  });
  return {
    states: async () => [...(isSet ? [await chatState()] : []), ...(await channels.states())],
    test: async () => [...(isSet ? [await testChat()] : []), ...(await channels.test(text))],
  };
}

const CHAT_TOPICS = ['trades', 'refusals', 'alarms', 'report'] as const;
const NOT_RUNNING = { state: 'idle', lastDeliveredAtMs: undefined, lastFailure: undefined } as const;

async function notifiersOf({ discord, ntfy, mail, webhook }: NoticeSettings): Promise<NoticeChannelsParts['channels']> {
  return [
    ...(discord ? [{ notifier: createDiscordNotifier(discord), topics: discord.topics }] : []),
    ...(ntfy ? [{ notifier: createNtfyNotifier(ntfy), topics: ntfy.topics }] : []),
    ...(mail ? [{ notifier: await mailNotifier(mail), topics: mail.topics }] : []),
    ...(webhook ? [{ notifier: signedWebhook(webhook), topics: webhook.topics }] : []),
  ];
}

const signedWebhook = ({ url, secret }: Exclude<NoticeSettings['webhook'], '' | undefined>) =>
  createSignedWebhook({ url, sign: (body) => signatureOf(secret, nowMs(), body) });

/** The mail library is loaded only where mail is sent. */
const mailNotifier = async (options: Exclude<NoticeSettings['mail'], '' | undefined>) =>
  (await import('../adapters/notifiers/mail.ts')).createMailNotifier(options);

function countNotices(metrics: Metrics): NoticeChannelsParts['count'] {
  const notices = metrics.counter({
    name: 'notices_total',
    help: 'Notices to the channels of the owner, by what became of them.',
    labels: ['channel', 'result'],
  });
  return (channel, result, count) => notices.inc({ channel, result }, count);
}
