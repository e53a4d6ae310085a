// Fuzzes the door of a process that stands by, in front of an owner that says what it got: requests of one connection must come
// back in their order and as they were, nothing in them may become a request of its own behind the door, and what is no HTTP is
// answered as the owner itself would answer it.

import { once } from 'node:events';
import { WebSocket } from 'ws';
import { DeskDoor } from '../../../src/composition/desk-door.ts';
import { handOnText } from '../../../src/http/handed-on.ts';
import { createLog } from '../../../src/http/log.ts';
import type { Random } from '../random.ts';
import { brokenHttp } from './broken-http.ts';
import {
  digestOf,
  type Echo,
  EchoOwner,
  FORGED_ADDRESS,
  type Misdeed,
  SOCKET_PATH,
  STANDBY_CONFIG,
} from './echo-owner.ts';
import { type BatchReport, type FuzzPart, ownHeapBytes, Tally } from './fuzz-part.ts';
import { type HttpRequest, OWNER } from './http-requests.ts';
import { ODD_TEXTS } from './odd-values.ts';
import { type Ending, exchange } from './raw-exchange.ts';
import { randomFrames } from './socket-frames.ts';

const ROUNDS = 10;
const MOST_IN_A_ROW = 8;
const ANSWER_MS = 8000;
const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'] as const;
const PATHS = [
  '/',
  '/webhook',
  '/pieces',
  '/early',
  '/trades?limit=5',
  '/a%2e%2e/b',
  '/%00',
  `/${'a'.repeat(3000)}`,
] as const;
const HANDED_ON = handOnText('', '', '').slice(0, handOnText('', '', '').indexOf('\r\n'));
const OVERTAKES = new Set(['HTTP/1.1 400 Bad Request', 'HTTP/1.1 403 Forbidden']);
const ONE_PACKET = 16_000;
const HANDSHAKE_KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
/** Of all batches: nobody owns the desk meanwhile. */
const AWAY_PERCENT = 5;

interface Sent {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly bytes: Buffer;
}

/** The owner does nothing wrong, but where the part itself is tested. */
export async function openStandbyPart(misdeed?: Misdeed): Promise<FuzzPart> {
  const owner = await EchoOwner.start(misdeed);
  let isThere = true;
  const door = await DeskDoor.open({
    config: STANDBY_CONFIG,
    log: createLog({ level: 'error', name: 'fuzz' }),
    owner: () => (isThere ? { host: '127.0.0.1', port: owner.port } : undefined),
  });
  return new StandbyPart(owner, door, (next) => {
    isThere = next;
  });
}

class StandbyPart implements FuzzPart {
  readonly #owner: EchoOwner;
  readonly #door: DeskDoor;
  readonly #setThere: (isThere: boolean) => void;
  readonly #crashes: string[] = [];
  readonly #onCrash = (error: Error): void => void this.#crashes.push(`the process would have died of: ${error.stack}`);
  #ids = 0;

  constructor(owner: EchoOwner, door: DeskDoor, setThere: (isThere: boolean) => void) {
    this.#owner = owner;
    this.#door = door;
    this.#setThere = setThere;
    process.on('uncaughtException', this.#onCrash);
  }

  async batch(random: Random): Promise<BatchReport> {
    const faults: string[] = [];
    const tally = new Tally();
    let inputs = 0;
    const isThere = !random.chance(AWAY_PERCENT);
    this.#setThere(isThere);
    const rounds = Array.from({ length: ROUNDS }, () => {
      const row = this.#row(random);
      const broken = brokenHttp(this.#hostile(random), random);
      const socket = [Buffer.from(handshake(random), 'latin1'), ...this.#afterHandshake(random)];
      inputs += row.length + 1 + socket.length;
      return [
        this.#inOrder(row, isThere, random, tally),
        this.#bytes([broken], endingOf(random), isThere, tally),
        this.#bytes(socket, endingOf(random), isThere, tally),
      ];
    });
    faults.push(...(await Promise.all(rounds.flat())).flat());
    if (isThere) faults.push(...(await this.#goodSocket()));
    this.#setThere(true);
    return { inputs, faults: [...faults, ...this.#owner.faults(), ...this.#crashes.splice(0)], ends: tally.counts };
  }

  heapBytes(): number {
    return ownHeapBytes();
  }

  async close(): Promise<readonly string[]> {
    await this.#door.stop(0);
    await this.#owner.close();
    process.off('uncaughtException', this.#onCrash);
    return [...this.#owner.faults(), ...this.#crashes];
  }

  /** Good ones, however odd; the last one says that it is the last. */
  #row(random: Random): Sent[] {
    const length = random.between(1, MOST_IN_A_ROW);
    return Array.from({ length }, (_, index) =>
      this.#request(random, index === length - 1 ? ['connection: close'] : []),
    );
  }

  #request(random: Random, more: readonly string[]): Sent {
    const id = this.#newId();
    const [method, path] = [random.of(METHODS), random.of(PATHS)];
    const body = random.chance(30)
      ? ''
      : random.of([() => inner(random), () => random.of(ODD_TEXTS).repeat(random.between(1, 400))])();
    const lines = [`${method} ${path} HTTP/1.1`, 'host: localhost', `x-id: ${id}`, ...forgedLines(random), ...more];
    return { id, method, path, body, bytes: withBody(lines, body, random) };
  }

  /** Its body is a request of its own, for whoever reads it as one. */
  #hostile(random: Random): HttpRequest {
    const headers = { host: 'localhost', 'x-id': this.#newId(), 'content-type': 'application/json' };
    const [method, target] = [random.of(METHODS), random.of(PATHS)];
    const operation = { method, path: target };
    return { operation, method, target, headers, body: inner(random), peer: OWNER };
  }

  #afterHandshake(random: Random): Buffer[] {
    return Array.from({ length: random.between(0, 6) }, () =>
      random.chance(25) ? Buffer.from(inner(random)) : randomFrames(random),
    );
  }

  #newId(): string {
    this.#ids += 1;
    return `r${this.#ids}`;
  }

  /** All over one connection, cut into packets anywhere. */
  async #inOrder(row: readonly Sent[], isThere: boolean, random: Random, tally: Tally): Promise<readonly string[]> {
    const all = Buffer.concat(row.map(({ bytes }) => bytes));
    const at = random.between(0, all.length);
    const { answer, isClosed } = await exchange(this.#door.port, [all.subarray(0, at), all.subarray(at)], 'theirs');
    const statuses = [...answer.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => status);
    for (const status of statuses) tally.add(`in order ${status}`);
    const shown = row.map(({ bytes }) => bytes.toString('latin1').slice(0, 300));
    const faults = isClosed ? [] : ['kept the connection behind the last answer'];
    if (!isThere) {
      if (statuses.some((status) => status !== '503')) faults.push(`answered ${statuses} while nobody was there`);
    } else {
      const echoes = [...answer.replace(/\r\n[0-9a-f]+\r\n/g, '').matchAll(/\{"id":[^}]*\}/g)].map(
        ([text]) => JSON.parse(text) as Echo,
      );
      const wanted = row.map(
        ({ id, method, path, body }): Echo => ({ id, method, digest: path === '/early' ? '' : digestOf(body) }),
      );
      if (JSON.stringify(echoes) !== JSON.stringify(wanted))
        faults.push(`answered ${JSON.stringify(echoes)} (${statuses}) where ${JSON.stringify(wanted)} was right`);
    }
    return faults.map((fault) => `${fault}: ${JSON.stringify(shown)}`);
  }

  async #bytes(pieces: readonly Buffer[], ending: Ending, isThere: boolean, tally: Tally): Promise<readonly string[]> {
    const { answer, isClosed } = await exchange(this.#door.port, pieces, ending);
    tally.add(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 'closed');
    const sent = Buffer.concat(pieces).toString('latin1');
    const shown = JSON.stringify(sent.slice(0, 1500));
    // The owner answers with none of these by itself; the door refuses what says that it was handed on already.
    const own = /^HTTP\/1\.1 5\d\d/m.exec(answer)?.[0];
    const mayBeAway = !isThere || sent.startsWith(HANDED_ON);
    if (own !== undefined && !(own.endsWith('503') && mayBeAway))
      return [`answered ${own} to ${shown}: ${answer.slice(0, 400)}`];
    // Which of them is first depends on the moment, where something malformed, or an upgrade, comes behind a request that is being answered.
    if (ending === 'late' && pieces.length === 1 && sent.length < ONE_PACKET && !mayBeAway) {
      const direct = await exchange(this.#owner.port, pieces, ending);
      const [through, wanted] = [answer, direct.answer].map((text) => /^[^\r]*/.exec(text)?.[0]);
      if (through !== wanted && !OVERTAKES.has(String(through)) && !OVERTAKES.has(String(wanted)))
        return [`answered ${through} to ${shown}, and the owner itself ${wanted}`];
    }
    return isClosed ? [] : [`kept the connection of a client that had ended it: ${shown}`];
  }

  /** Nobody else's frames come to it. */
  async #goodSocket(): Promise<readonly string[]> {
    const socket = new WebSocket(`ws://127.0.0.1:${this.#door.port}${SOCKET_PATH}`);
    const signal = AbortSignal.timeout(ANSWER_MS);
    const said = this.#newId();
    // What comes with the handshake is heard too.
    const first = once(socket, 'message', { signal });
    first.catch(() => undefined);
    try {
      await once(socket, 'open', { signal });
      socket.send(said);
      const [heard] = (await first) as [Buffer];
      return String(heard) === said ? [] : [`a good client heard ${heard} instead of ${said}`];
    } catch (error) {
      return [`a good client was not served: ${error}`];
    } finally {
      socket.terminate();
    }
  }
}

const endingOf = (random: Random): Ending => random.of(['late', 'late', 'half', 'cut']);

const forgedLines = (random: Random): string[] =>
  random.of([
    [],
    [`x-forwarded-for: ${FORGED_ADDRESS}`],
    ['x-signalbox-peer: 1.1 127.0.0.1 owner'],
    ['connection: keep-alive, x-id'],
    ['te: trailers', 'trailer: x-id'],
    [`cookie: ${'a=b;'.repeat(50)}`, 'x-latin: \xe9\xff'],
    Array<string>(random.between(100, 900)).fill('a:'),
  ]);

/** As a client would write it who wants to be believed. */
function inner(random: Random): string {
  if (random.chance(15)) return handOnText('localhost', FORGED_ADDRESS, 'f'.repeat(64));
  const body = random.of(['', '{"apiKey":"x"}']);
  const lines = [
    `${random.of(METHODS)} /inner HTTP/1.1`,
    'host: localhost',
    'x-id: inner',
    `x-forwarded-for: ${FORGED_ADDRESS}`,
    `content-length: ${body.length}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

function withBody(lines: readonly string[], body: string, random: Random): Buffer {
  const bytes = Buffer.from(body);
  const head = (more: readonly string[]): Buffer => Buffer.from([...lines, ...more, '', ''].join('\r\n'), 'latin1');
  if (bytes.length === 0 && random.chance(50)) return head([]);
  if (random.chance(50)) return Buffer.concat([head([`content-length: ${bytes.length}`]), bytes]);
  const at = random.between(0, bytes.length);
  const chunks = [bytes.subarray(0, at), bytes.subarray(at)].filter(({ length }) => length > 0);
  const written = chunks.flatMap((chunk) => [
    Buffer.from(`${chunk.length.toString(16)}\r\n`),
    chunk,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([head(['transfer-encoding: chunked']), ...written, Buffer.from('0\r\n\r\n')]);
}

function handshake(random: Random): string {
  const lines = [
    `${random.of(['GET', 'GET', 'GET', 'POST'])} ${random.of([SOCKET_PATH, SOCKET_PATH, '/nowhere', '/%zz'])} HTTP/${random.of(['1.1', '1.1', '1.0'])}`,
    'host: localhost',
    `connection: ${random.of(['Upgrade', 'Upgrade', 'upgrade, keep-alive', 'keep-alive'])}`,
    `upgrade: ${random.of(['websocket', 'websocket', 'WebSocket ', 'websocket, h2c', 'signalbox-connection'])}`,
    `sec-websocket-key: ${random.of([HANDSHAKE_KEY, HANDSHAKE_KEY, 'short'])}`,
    `sec-websocket-version: ${random.of(['13', '13', '8'])}`,
    ...forgedLines(random),
    ...random.of([
      [],
      [],
      ['content-length: 20'],
      ['transfer-encoding: chunked'],
      ['upgrade: h2c'],
      ['expect: 100-continue'],
    ]),
  ];
  return [...lines, '', ''].join('\r\n');
}
