// A gateway with a Telegram bot on a Bot API server of its own, as the tests of this folder use it.

import { randomBytes, randomUUID } from 'node:crypto';
import { openTelegram, type Telegram } from '../../src/adapters/notifiers/telegram/index.ts';
import { BOT_TOKEN, type BotApiServer, OWNER, startBotApi } from '../support/bot-api-server.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import { type GatewayOptions, openGateway, type TestGateway } from '../support/gateway.ts';

export const OWNER_CHAT = String(OWNER);
/** Also allowed, but nobody's default. */
export const OTHER_CHAT = '-100500';
export const STRANGER = 666;

export interface ChatOptions extends GatewayOptions {
  readonly botApi?: BotApiServer;
  readonly token?: string;
  /** null: none. */
  readonly defaultChat?: string | null;
  readonly allowedChats?: readonly string[];
  /** Takes commands too. */
  readonly listen?: boolean;
}

export interface Chat {
  readonly gateway: TestGateway;
  readonly botApi: BotApiServer;
  readonly telegram: Telegram;
  /** Lines of the bot's log. */
  readonly lines: { readonly fields: object; readonly message: string }[];
  /** Moves the clock that never jumps. */
  advance(byMs: number): void;
  /** What stands in a chat, oldest first. */
  texts(chatId?: string): string[];
  close(): Promise<void>;
}

/** Is closed when its file ends; a test may close it earlier to open its folder again. */
export async function openChat(options: ChatOptions = {}): Promise<Chat> {
  const botApi = options.botApi ?? (await startBotApi());
  const lines: Chat['lines'] = [];
  const log = (fields: object, message: string) => void lines.push({ fields, message });
  let telegram: Telegram | undefined;
  let aheadMs = 0;
  const gateway = await openGateway({
    ...options,
    connect: ({ controls, restrictions, nowMs }) => {
      telegram = openTelegram({
        token: options.token ?? BOT_TOKEN,
        apiRoot: botApi.root,
        defaultChat: options.defaultChat === null ? undefined : (options.defaultChat ?? OWNER_CHAT),
        allowedChats: options.allowedChats ?? [OTHER_CHAT],
        ...{ controls, restrictions },
        nowMs,
        monotonicMs: () => performance.now() + aheadMs,
        randomBytes,
        log: { info: log, warn: log },
      });
      return telegram;
    },
  });
  const connected = telegram as unknown as Telegram;
  if (options.listen) listen(connected, gateway);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= gateway.close().then(() => (options.botApi ? undefined : botApi.close()));
    return closing;
  };
  closeAtEnd(close);
  return {
    gateway,
    botApi,
    telegram: connected,
    lines,
    advance: (byMs) => {
      aheadMs += byMs;
    },
    texts: (chatId = OWNER_CHAT) =>
      botApi.messages.filter((message) => message.chatId === chatId).map(({ text }) => text),
    close,
  };
}

export function listen(telegram: Telegram, gateway: TestGateway): void {
  telegram.listen({
    journal: gateway.data.journal,
    signals: gateway.data.signals,
    accountReports: gateway.reports,
    performanceReports: gateway.performanceReports,
    twinReports: gateway.twinReports,
    protections: gateway.desk.protections,
    notifiers: async () => [
      {
        channel: 'ntfy',
        state: 'failing',
        count: 2,
        lastDeliveredAtMs: undefined,
        lastFailure: { atMs: 0, error: 'it answered <500>' },
      },
    ],
    canceler: gateway.desk.canceler,
    closer: gateway.desk.ownerCloser,
    newRequestId: randomUUID,
    refusals: gateway.refusals,
    resend: gateway.resend,
    tickets: gateway.tickets,
    symbols: gateway.symbols,
    enforced: (owner) => gateway.desk.killSwitchGuard.enforced(owner),
    waitingEntries: (subject) => gateway.desk.killSwitchGuard.waitingEntries(subject),
    restrictions: gateway.restrictions,
    subjects: {
      ...{ accounts: gateway.desk.accounts, symbols: gateway.symbols, restrictions: gateway.restrictions },
      ...{ journal: gateway.data.journal, keys: () => gateway.keys.list() },
    },
    backlog: () => gateway.desk.backlog(),
    venues: gateway.venues,
    pricesOf: () => ({ label: 'simulated', lastPrice: async () => '100' }),
    version: '1.2.3',
    environment: 'test',
  });
}

export const kindsOf = async (gateway: TestGateway, requestId: string): Promise<string[]> =>
  (await gateway.trade(requestId)).events.map((event: { kind: string }) => event.kind);

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
