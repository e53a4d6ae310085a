// A Bot API server on loopback: takes messages as Telegram does, hands out updates, and fails in every way a test asks for.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CannotParse, shownText, type WireParseMode } from './bot-api-text.ts';

export const BOT_TOKEN = '123456789:AAsecretsecretsecretsecretsecretsec';
export const BOT_NAME = 'signalbox_test_bot';

// The payloads under test are looked into field by field.
// biome-ignore lint/suspicious/noExplicitAny: a test reads any field
type Fields = any;

/** What the next call of a method meets. `hang` answers when it is released; `lost` is carried out but never answered. */
export type Fault =
  | { readonly code: number; readonly description: string; readonly parameters?: object }
  | 'hang'
  | 'lost'
  | 'reset'
  | 'garbage'
  | 'html'
  | 'null'
  | 'redirect';

export interface Call {
  readonly method: string;
  readonly payload: Fields;
  readonly atMs: number;
}

export interface ShownMessage {
  readonly messageId: number;
  readonly chatId: string;
  /** As a person sees it. */
  readonly text: string;
  readonly parseMode: WireParseMode;
  readonly buttons: readonly { readonly text: string; readonly callback_data: string }[];
}

export interface BotApiServer {
  readonly root: string;
  readonly calls: Call[];
  /** What stands in the chats, edits included. */
  readonly messages: ShownMessage[];
  /** First in, first out, per method. */
  fail(method: string, ...faults: Fault[]): void;
  /** While set, every call of the methods named (all when none is) meets this. */
  outage: { readonly fault: Fault; readonly methods?: readonly string[] } | undefined;
  /** Lets hanging calls go: carried out, or cut off. */
  release(how: 'answer' | 'cut'): void;
  hanging(): number;
  say(text: string, from?: Partial<Sayer>): void;
  press(data: string, from?: Partial<Sayer> & { messageId?: number }): void;
  /** An update as it is, sound or not. */
  update(update: object): void;
  countOf(method: string): number;
  close(): Promise<void>;
  /** The same port again, after close. */
  reopen(): Promise<void>;
}

export interface Sayer {
  readonly chatId: number;
  readonly userId: number;
  readonly type: string;
  readonly dateS: number;
  readonly isBot: boolean;
}

export const OWNER = 42;

interface Reply {
  readonly status: number;
  readonly body: object;
}

const UNAUTHORIZED: Fault = { code: 401, description: 'Unauthorized' };
const ok = (result: unknown): Reply => ({ status: 200, body: { ok: true, result } });
const refusal = (code: number, description: string, parameters?: object): Reply => ({
  status: code,
  body: { ok: false, error_code: code, description, parameters },
});

/** The text as a person sees it, or why Telegram does not take it. */
function readable(payload: Fields): string | Reply {
  const refuse = (why: string): Reply => refusal(400, `Bad Request: ${why}`);
  try {
    const text = shownText(payload.text, payload.parse_mode);
    if (!payload.text.isWellFormed()) return refuse('strings must be encoded in UTF-8');
    if (text.trim() === '') return refuse('message text is empty');
    return text.length > 4096 ? refuse('message is too long') : text;
  } catch (error) {
    if (!(error instanceof CannotParse)) throw error;
    return refuse(`can't parse entities: ${error.message}`);
  }
}

const BODIES = { garbage: '{"ok":true,"result":{"message', html: '<html>502 Bad Gateway</html>', null: 'null' };

function failWith(fault: Exclude<Fault, 'hang'>, response: ServerResponse): void {
  if (typeof fault === 'object') {
    const { status, body } = refusal(fault.code, fault.description, fault.parameters);
    response.writeHead(status).end(JSON.stringify(body));
  } else if (fault === 'reset' || fault === 'lost') response.destroy();
  else if (fault === 'redirect') response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
  else response.writeHead(fault === 'html' ? 502 : 200).end(BODIES[fault]);
}

export async function startBotApi(): Promise<BotApiServer> {
  const calls: Call[] = [];
  const messages: ShownMessage[] = [];
  const faults = new Map<string, Fault[]>();
  const updates: Fields[] = [];
  const pollers = new Set<() => void>();
  let held: { run: () => Promise<void>; response: ServerResponse }[] = [];
  let [messageId, updateId, pressId] = [100, 7000, 1];
  let http: Server;

  const carryOut: Record<string, (payload: Fields) => Reply | Promise<Reply>> = {
    getMe: () => ok({ id: 1, is_bot: true, username: BOT_NAME }),
    answerCallbackQuery: () => ok(true),
    sendMessage: (payload) => take(payload, ++messageId),
    editMessageText: (payload) => take(payload, payload.message_id),
    getUpdates: (payload) =>
      new Promise((resolve) => {
        // Whoever asks beyond an update has confirmed it: nobody is told of it again.
        while (updates[0]?.update_id < payload.offset) updates.shift();
        const fresh = () => updates.filter(({ update_id }) => update_id >= payload.offset).slice(0, payload.limit);
        const finish = (): void => {
          clearTimeout(timer);
          pollers.delete(finish);
          resolve(ok(fresh()));
        };
        const timer = setTimeout(finish, fresh().length > 0 ? 0 : payload.timeout * 1000);
        if (fresh().length === 0) pollers.add(finish);
      }),
  };

  function take(payload: Fields, id: number): Reply {
    const text = readable(payload);
    if (typeof text !== 'string') return text;
    const buttons = payload.reply_markup?.inline_keyboard?.[0] ?? [];
    const shown = { messageId: id, chatId: String(payload.chat_id), text, parseMode: payload.parse_mode, buttons };
    const before = messages.findIndex((message) => message.messageId === id);
    if (before < 0) messages.push(shown);
    else messages[before] = shown;
    return ok({ message_id: id, date: Math.floor(Date.now() / 1000), chat: { id: payload.chat_id }, text });
  }

  const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [, token, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? '') ?? [];
    const payload = JSON.parse(Buffer.concat(chunks).toString() || '{}');
    calls.push({ method, payload, atMs: performance.now() });
    const run = async (): Promise<void> => {
      const { status, body } = (await carryOut[method]?.(payload)) ?? refusal(404, 'Not Found');
      if (!response.destroyed) response.writeHead(status).end(JSON.stringify(body));
    };
    const { outage } = server;
    const all = outage && (outage.methods?.includes(method) ?? true) ? outage.fault : undefined;
    const fault = token === BOT_TOKEN ? (faults.get(method)?.shift() ?? all) : UNAUTHORIZED;
    if (fault === undefined) await run();
    else if (fault === 'hang') held.push({ run, response });
    else if (fault === 'lost') take(payload, ++messageId);
    if (fault !== undefined && fault !== 'hang') failWith(fault, response);
  };

  const listen = async (port: number): Promise<number> => {
    http = createServer((request, response) => void onRequest(request, response).catch(() => response.destroy()));
    http.listen(port, '127.0.0.1');
    await once(http, 'listening');
    return (http.address() as AddressInfo).port;
  };
  const port = await listen(0);
  const from = (sayer: Partial<Sayer>) => ({
    chat: { id: sayer.chatId ?? OWNER, type: sayer.type ?? 'private' },
    from: { id: sayer.userId ?? sayer.chatId ?? OWNER, is_bot: sayer.isBot ?? false },
  });

  const server: BotApiServer = {
    root: `http://127.0.0.1:${port}`,
    calls,
    messages,
    outage: undefined,
    fail: (method, ...more) => void faults.set(method, [...(faults.get(method) ?? []), ...more]),
    release(how) {
      const waiting = held;
      held = [];
      for (const { run, response } of waiting) {
        if (how === 'cut') response.destroy();
        else if (!response.destroyed) void run();
      }
    },
    hanging: () => held.filter(({ response }) => !response.destroyed).length,
    say(text, sayer = {}) {
      const date = sayer.dateS ?? Math.floor(Date.now() / 1000);
      server.update({ message: { message_id: ++messageId, date, text, ...from(sayer) } });
    },
    press(data, sayer = {}) {
      const { chat, from: user } = from(sayer);
      const message = { message_id: sayer.messageId ?? messageId, date: 0, chat };
      server.update({ callback_query: { id: `press-${pressId++}`, from: user, message, data } });
    },
    update(update) {
      updates.push({ update_id: updateId++, ...update });
      for (const finish of [...pollers]) finish();
    },
    countOf: (method) => calls.filter((call) => call.method === method).length,
    async close() {
      if (!http.listening) return;
      http.close();
      http.closeAllConnections();
      await once(http, 'close');
    },
    async reopen() {
      await listen(port);
    },
  };
  return server;
}
