// A local server that speaks one provider's wire protocol and behaves as the test says: well, badly, or not at all.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ScriptedAnswer {
  readonly text?: string;
  readonly tokensIn?: number;
  readonly tokensOut?: number;
  /** False: the server does not count. */
  readonly counts?: boolean;
  readonly tools?: readonly { readonly name: string; readonly args: string }[];
  readonly finish?: 'stop' | 'length' | 'refused';
}

/** What the server does with one request. */
export type Behaviour =
  | ({ readonly kind: 'answer'; readonly gapMs?: number } & ScriptedAnswer)
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly message?: string;
      readonly code?: string;
      readonly raw?: string;
    }
  /** Takes the request and never says a word. */
  | { readonly kind: 'hang' }
  /** 200 with something that is no JSON. */
  | { readonly kind: 'garbage' }
  /** JSON of the wrong shape. */
  | { readonly kind: 'odd' }
  /** A stream that stops after some text: with the connection, with an end that looks clean, or in silence. */
  | { readonly kind: 'cut'; readonly text: string; readonly how: 'reset' | 'end' | 'silence' }
  /** 200 with this body, whole or as a stream. */
  | { readonly kind: 'raw'; readonly body: string }
  /** Closes the connection without an answer. */
  | { readonly kind: 'reset' }
  /** Writes for ever. */
  | { readonly kind: 'endless' };

export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  // A test looks into it field by field.
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field
  readonly body: any;
  readonly text: string;
  readonly streams: boolean;
  /** Resolves when the client leaves before it has its answer. */
  readonly gone: Promise<void>;
}

/** One provider's way of putting things. */
export interface WireProtocol {
  readonly name: 'openai' | 'anthropic' | 'google' | 'local';
  readonly model: string;
  /** Of the base address. */
  readonly basePath: string;
  keyOf(headers: IncomingMessage['headers']): string | undefined;
  /** Path below the base, as the protocol has it. */
  isPath(path: string): boolean;
  streams(path: string, body: Record<string, unknown>): boolean;
  whole(answer: ScriptedAnswer): object;
  /** As server-sent events, each a whole block of lines. */
  events(answer: ScriptedAnswer): readonly string[];
  /** The events before a text is over. */
  opening(text: string): readonly string[];
  error(status: number, message: string, code: string | undefined): object;
  readonly wrongKey: { readonly status: number; readonly message: string };
}

export const KEY = 'sk-test-0123456789abcdef';

export async function startModelServer(protocol: WireProtocol) {
  const requests: SeenRequest[] = [];
  const planned: Behaviour[] = [];
  const server = createServer((incoming, outgoing) => {
    void serve(incoming, outgoing).catch(() => outgoing.destroy());
  });
  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const body = JSON.parse(text) as Record<string, unknown>;
    const path = (incoming.url ?? '').slice(protocol.basePath.length);
    const streams = protocol.streams(path, body);
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) resolve();
    });
    requests.push({ path, headers: incoming.headers, body, text, streams, gone });
    if (incoming.method !== 'POST' || !protocol.isPath(path))
      return json(outgoing, 404, protocol.error(404, 'no such path', undefined));
    if (protocol.keyOf(incoming.headers) !== KEY) {
      const { status, message } = protocol.wrongKey;
      return json(outgoing, status, protocol.error(status, message, 'invalid_api_key'));
    }
    await behave(planned.shift() ?? { kind: 'answer', text: 'Hello' }, streams, outgoing);
  }
  async function behave(behaviour: Behaviour, streams: boolean, outgoing: ServerResponse): Promise<void> {
    const type = streams ? 'text/event-stream' : 'application/json';
    switch (behaviour.kind) {
      case 'answer': {
        if (!streams) {
          if (behaviour.gapMs) await sleep(behaviour.gapMs);
          return json(outgoing, 200, protocol.whole(behaviour));
        }
        outgoing.writeHead(200, { 'content-type': type });
        for (const event of protocol.events(behaviour)) {
          outgoing.write(event);
          if (behaviour.gapMs) await sleep(behaviour.gapMs);
        }
        outgoing.end();
        return;
      }
      case 'status': {
        const { status, headers, message = 'no', code, raw } = behaviour;
        outgoing.writeHead(status, { 'content-type': 'application/json', ...headers });
        outgoing.end(raw ?? JSON.stringify(protocol.error(status, message, code)));
        return;
      }
      case 'raw':
        outgoing.writeHead(200, { 'content-type': type }).end(behaviour.body);
        return;
      case 'garbage':
        outgoing.writeHead(200, { 'content-type': type }).end(streams ? 'data: {"half\n\n' : '<html>not JSON');
        return;
      case 'odd':
        outgoing.writeHead(200, { 'content-type': type }).end(streams ? 'data: {"odd":[1]}\n\n' : '{"odd":[1]}');
        return;
      case 'cut':
        outgoing.writeHead(200, { 'content-type': type });
        for (const event of protocol.opening(behaviour.text)) outgoing.write(event);
        await sleep(30);
        if (behaviour.how === 'reset') outgoing.destroy();
        else if (behaviour.how === 'end') outgoing.end();
        return;
      case 'reset':
        outgoing.destroy();
        return;
      case 'endless': {
        outgoing.writeHead(200, { 'content-type': type });
        const block = Buffer.alloc(1024 * 1024, streams ? protocol.opening('x'.repeat(5000)).at(-1) : ' ');
        while (!outgoing.destroyed) {
          if (!outgoing.write(block))
            await Promise.race([new Promise((resolve) => outgoing.once('drain', resolve)), sleep(1000)]);
          await sleep(0);
        }
        return;
      }
      case 'hang':
        return;
    }
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    protocol,
    requests,
    url: `http://127.0.0.1:${port}${protocol.basePath}`,
    /** What the next requests get, in order; after them every one is answered with Hello. */
    next: (...behaviours: Behaviour[]): void => void planned.push(...behaviours),
    reset(): void {
      requests.length = 0;
      planned.length = 0;
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type ModelServer = Awaited<ReturnType<typeof startModelServer>>;

function json(outgoing: ServerResponse, status: number, body: object): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** The text in two pieces, so that a stream has something to put together. */
export const piecesOf = (text: string): readonly string[] =>
  text === ''
    ? []
    : [text.slice(0, Math.ceil(text.length / 2)), text.slice(Math.ceil(text.length / 2))].filter(
        (piece) => piece !== '',
      );

export const event = (data: object | string, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
