// The HTTP and WebSocket server under every emulated venue: it writes down requests, lets them meet their faults, hands
// them to the venue's protocol, and carries the user streams.

import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Fault, FaultReply, Faults } from './faults.ts';

export interface Reply {
  readonly status?: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface VenueRequest {
  readonly method: string;
  readonly path: string;
  /** As it came, without the question mark: signatures cover it to the letter. */
  readonly rawQuery: string;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

export interface RecordedRequest extends VenueRequest {
  readonly atMs: number;
  /** Undefined while there is no answer, and for ever where the connection was dropped. */
  status: number | undefined;
  answer: unknown;
}

/** What every venue says in its own words. */
export interface VenueWords {
  maintenance(): Reply;
  unknownOutcome(request: VenueRequest): Reply;
  tooManyRequests(status: number, retryAfterS: number): Reply;
}

/** One open WebSocket of a caller. */
export interface VenueStream {
  readonly path: string;
  readonly rawQuery: string;
  /** An answer to what the caller said; never lost by a planned fault. */
  reply(text: string): void;
  /** An event of the account; a planned fault may lose or repeat it. */
  event(text: string): void;
  close(code?: number): void;
}

/** A venue's own part. Answers are made at once: the market is in memory. */
export interface VenueProtocol {
  readonly words: VenueWords;
  answer(request: VenueRequest): Reply;
  /** The API key that it names; empty where it names none. */
  keyOf(request: VenueRequest): string;
  /** Says whether there is such a stream. */
  opens(path: string, rawQuery: string): boolean;
  opened(stream: VenueStream): void;
  heard(stream: VenueStream, text: string): void;
  closed(stream: VenueStream): void;
}

export interface ListeningServer {
  readonly baseUrl: string;
  readonly streamUrl: string;
  readonly requests: RecordedRequest[];
  close(): Promise<void>;
}

export async function listen(protocol: VenueProtocol, faults: Faults, nowMs: () => number): Promise<ListeningServer> {
  const requests: RecordedRequest[] = [];
  const http = createServer((message, response) => void serve(message, response));
  const serve = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request = await readRequest(message, nowMs);
    requests.push(request);
    if (faults.silent) return;
    const reply = await meetFaults(protocol, faults, request);
    if (reply === 'drop') message.socket.destroy();
    else send(response, request, reply);
  };
  const raw = new Set<Socket>();
  http.on('connection', (socket) => {
    raw.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => raw.delete(socket));
  });
  carryStreams(http, protocol, faults);
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    streamUrl: `ws://127.0.0.1:${port}`,
    requests,
    async close() {
      const closed = once(http, 'close');
      http.close();
      for (const socket of raw) socket.destroy();
      await closed;
    },
  };
}

async function readRequest(message: IncomingMessage, nowMs: () => number): Promise<RecordedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const url = message.url ?? '/';
  const cut = url.indexOf('?');
  return {
    method: message.method ?? 'GET',
    path: cut < 0 ? url : url.slice(0, cut),
    rawQuery: cut < 0 ? '' : url.slice(cut + 1),
    body: Buffer.concat(chunks).toString('utf8'),
    headers: message.headers,
    atMs: nowMs(),
    status: undefined,
    answer: undefined,
  };
}

async function meetFaults(
  protocol: VenueProtocol,
  faults: Faults,
  request: RecordedRequest,
): Promise<Reply | RawReply | 'drop'> {
  if (faults.maintenance) return protocol.words.maintenance();
  const met = faults.take({ ...request, apiKey: protocol.keyOf(request) });
  const late = met.find((fault) => fault.type === 'late');
  if (late !== undefined) {
    void sleep(late.delayMs).then(() => protocol.answer(request));
    return 'drop';
  }
  const early = await endOf(met, 'before', protocol.words, request);
  if (early !== undefined) return early;
  if (met.some(({ type }) => type === 'twice')) protocol.answer(request);
  const reply = protocol.answer(request);
  const edits = met.flatMap((fault) => (fault.type === 'edit' ? fault.edit : []));
  const body = edits.reduce((before, edit) => edit(structuredClone(before), request.rawQuery), reply.body);
  return (await endOf(met, 'after', protocol.words, request)) ?? changed({ ...reply, body }, met);
}

function changed(reply: Reply, met: readonly Fault[]): Reply | RawReply {
  const changes = met.filter((fault) => fault.type === 'change');
  if (changes.length === 0) return reply;
  const text = changes.reduce((before, { change }) => change(before), JSON.stringify(reply.body));
  return { status: reply.status ?? 200, text, headers: { 'content-type': 'application/json', ...reply.headers } };
}

/** Waits as long as the faults of this moment say, then tells how the request ends, if one of them ends it. */
async function endOf(
  met: readonly Fault[],
  moment: 'before' | 'after',
  words: VenueWords,
  request: VenueRequest,
): Promise<Reply | RawReply | 'drop' | undefined> {
  for (const fault of met) {
    if (!('when' in fault) || fault.when !== moment) continue;
    if (fault.type === 'delay') await sleep(fault.delayMs);
    else return fault.type === 'drop' ? 'drop' : inWords(fault.reply, words, request);
  }
  return undefined;
}

/** A text that is sent as it stands. */
interface RawReply {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function inWords(reply: FaultReply, words: VenueWords, request: VenueRequest): Reply | RawReply {
  if (!('words' in reply)) return reply;
  if (reply.words === 'too-many-requests') return words.tooManyRequests(reply.status, reply.retryAfterS);
  return reply.words === 'maintenance' ? words.maintenance() : words.unknownOutcome(request);
}

function send(response: ServerResponse, request: RecordedRequest, reply: Reply | RawReply): void {
  const isRaw = 'text' in reply;
  request.status = reply.status ?? 200;
  request.answer = isRaw ? reply.text : reply.body;
  const type = isRaw ? {} : { 'content-type': 'application/json;charset=UTF-8' };
  response.writeHead(request.status, { ...type, ...reply.headers });
  response.end(isRaw ? reply.text : JSON.stringify(reply.body));
}

function carryStreams(http: ReturnType<typeof createServer>, protocol: VenueProtocol, faults: Faults): void {
  const sockets = new WebSocketServer({ noServer: true });
  http.on('upgrade', (message, socket: Socket, head) => {
    if (faults.silent) return;
    const [path = '/', rawQuery = ''] = (message.url ?? '/').split('?');
    const isServed = faults.opensStream(path);
    if (!isServed || !protocol.opens(path, rawQuery)) {
      const status = isServed ? '404 Not Found' : '503 Service Unavailable';
      socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(message, socket, head, (client) => welcome(client, path, rawQuery, protocol, faults));
  });
  faults.onCut(() => {
    for (const client of sockets.clients) client.terminate();
  });
}

function welcome(client: WebSocket, path: string, rawQuery: string, protocol: VenueProtocol, faults: Faults): void {
  const stream: VenueStream = {
    path,
    rawQuery,
    reply: (text) => client.send(text),
    event(text) {
      faults.toldStreams.add(stream);
      for (let copies = faults.copiesOfEvent(); copies > 0; copies--) client.send(text);
    },
    close: (code) => client.close(code),
  };
  client.on('error', () => {});
  client.on('message', (data) => protocol.heard(stream, String(data)));
  client.on('close', () => protocol.closed(stream));
  protocol.opened(stream);
}
