// Fuzzes the WebSockets of the real program: handshakes and frames of every kind; a good client must be served all the time.

import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Random } from '../random.ts';
import { type BatchReport, type FuzzPart, Tally } from './fuzz-part.ts';
import { FuzzedServer } from './fuzzed-server.ts';
import { type Ending, exchange } from './raw-exchange.ts';
import { randomFrames } from './socket-frames.ts';

const CONNECTIONS = 20;
const AT_ONCE = 5;
const MOST_FRAMES = 12;
const ANSWER_MS = 8000;
const PATHS = [
  '/api/stream',
  '/api/stream?symbol=BTCUSDT&interval=1m',
  '/api/stream?symbol=%00&interval=-1',
  '/events',
  '/events?after=9999999&kind=trade',
  '/events?kind=nonsense',
  '/ws/run',
  '/nowhere',
] as const;
const KEYS = ['dGhlIHNhbXBsZSBub25jZQ==', 'short', ''] as const;

export const openWsPart = async (): Promise<FuzzPart> => new WsPart(await FuzzedServer.start());

class WsPart implements FuzzPart {
  readonly #server: FuzzedServer;

  constructor(server: FuzzedServer) {
    this.#server = server;
  }

  async batch(random: Random): Promise<BatchReport> {
    const faults: string[] = [];
    const tally = new Tally();
    let inputs = 0;
    for (let made = 0; made < CONNECTIONS; made += AT_ONCE) {
      const tries = Array.from({ length: AT_ONCE }, () => {
        const frames = Array.from({ length: random.between(1, MOST_FRAMES) }, () => randomFrames(random));
        inputs += frames.length;
        return this.#try(handshake(random), frames, random.chance(20) ? 'cut' : 'half', tally);
      });
      faults.push(...(await Promise.all(tries)).flat());
    }
    return { inputs, faults: [...faults, ...(await this.#goodClient()), ...this.#server.faults()], ends: tally.counts };
  }

  heapBytes(): Promise<number> {
    return this.#server.heapBytes();
  }

  close(): Promise<readonly string[]> {
    return this.#server.close();
  }

  async #try(head: string, frames: readonly Buffer[], ending: Ending, tally: Tally): Promise<readonly string[]> {
    const pieces = [Buffer.from(head), ...frames];
    const { answer, isClosed } = await exchange(this.#server.port, pieces, ending);
    tally.add(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 'closed');
    if (/^HTTP\/1\.1 500/.test(answer)) return [`answered 500 to ${JSON.stringify(head)}`];
    if (isClosed) return [];
    return [
      `kept a socket whose client had ended: ${JSON.stringify(head)} ${Buffer.concat(frames).toString('hex').slice(0, 2000)}`,
    ];
  }

  async #goodClient(): Promise<readonly string[]> {
    const socket = new WebSocket(`${this.#server.url.replace('http', 'ws')}/api/stream`);
    const signal = AbortSignal.timeout(ANSWER_MS);
    try {
      await once(socket, 'open', { signal });
      socket.send('{"action":"ping"}');
      const [data] = (await once(socket, 'message', { signal })) as [Buffer];
      return String(data) === '{"type":"pong"}' ? [] : [`a good client heard ${data}`];
    } catch (error) {
      return [`a good client was not served: ${error}`];
    } finally {
      socket.terminate();
    }
  }
}

function handshake(random: Random): string {
  const isGood = random.chance(85);
  const lines = [
    `GET ${random.of(PATHS)} HTTP/1.1`,
    'host: localhost',
    'connection: Upgrade',
    'upgrade: websocket',
    `sec-websocket-key: ${isGood ? KEYS[0] : random.of(KEYS)}`,
    `sec-websocket-version: ${isGood ? 13 : random.of([8, 14, 'x'])}`,
  ];
  if (random.chance(10)) lines.push(`sec-websocket-protocol: ${random.of(['a', 'a,,b', '\u00e9', ','])}`);
  if (random.chance(10)) lines.push('sec-websocket-extensions: permessage-deflate; client_max_window_bits=99');
  if (random.chance(10)) lines.push(`origin: ${random.of(['null', 'https://evil.example', 'http://localhost'])}`);
  return [...lines, '', ''].join('\r\n');
}
