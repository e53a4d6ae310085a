// Fuzzes the whole program over real sockets: every endpoint of both processes, and bytes that are almost HTTP.

import { Agent, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { TRADING } from '../../../src/adapters/storage/sqlite/database-files.ts';
import { type AnswerChecker, createAnswerChecker } from '../documented-answers.ts';
import type { Random } from '../random.ts';
import { brokenHttp } from './broken-http.ts';
import { type BatchReport, type FuzzPart, Tally } from './fuzz-part.ts';
import { ADMIN_TOKEN, FuzzedServer, WEBHOOK_KEY } from './fuzzed-server.ts';
import {
  type HttpRequest,
  HttpRequests,
  type Operation,
  OWNER,
  operationsOf,
  type RequestDocument,
  requestText,
  weighted,
} from './http-requests.ts';
import { type Answered, faultOf, parsedOf, pathOf } from './judge-answer.ts';
import { KnownNames } from './known-names.ts';
import { putBack } from './put-back.ts';
import { type Ending, exchange } from './raw-exchange.ts';
import { TradeCount } from './trade-count.ts';

const BATCH = 50;
const AT_ONCE = 5;
/** Of all inputs: bytes that are no good HTTP, each on a connection of its own. */
const BROKEN_PERCENT = 25;
/** They would ask services of others, or end what the fuzzer needs. */
const LEFT_OUT = ['/api/git/oauth/device/start', '/api/git/oauth/device/poll', '/session/password', '/admin/accounts'];

export async function openSocketPart(): Promise<FuzzPart> {
  const server = await FuzzedServer.start();
  const document = await (await fetch(`${server.url}/openapi.json`)).json();
  return new SocketPart(server, document as RequestDocument, createAnswerChecker(document as never));
}

class SocketPart implements FuzzPart {
  readonly #server: FuzzedServer;
  readonly #check: AnswerChecker;
  readonly #operations: readonly Operation[];
  readonly #names: KnownNames;
  readonly #requests: HttpRequests;
  readonly #trades: TradeCount;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

  constructor(server: FuzzedServer, document: RequestDocument, check: AnswerChecker) {
    this.#server = server;
    this.#check = check;
    const { scriptKey, analysisKey } = server;
    const given = { WEBHOOK_KEY, ADMIN_TOKEN, SCRIPT_KEY: scriptKey, ANALYSIS_KEY: analysisKey };
    this.#names = new KnownNames(given);
    this.#requests = new HttpRequests(this.#names, (operation) => credentialsFor(operation, given));
    const operations = operationsOf(document).filter(({ path }) => !LEFT_OUT.some((left) => path.startsWith(left)));
    this.#operations = weighted(operations);
    this.#trades = new TradeCount(join(server.dataDir, TRADING.name));
  }

  async batch(random: Random): Promise<BatchReport> {
    const faults: string[] = [];
    const tally = new Tally();
    for (let made = 0; made < BATCH; made += AT_ONCE) {
      const tries = Array.from({ length: AT_ONCE }, () => {
        const operation = this.#operations[random.between(0, this.#operations.length - 1)] as Operation;
        const request = { ...this.#requests.make(operation, random), peer: OWNER };
        // Signals go as good HTTP alone: an answer that nobody can read would be a trade that nobody was told of.
        return random.chance(BROKEN_PERCENT) && operation.method !== 'POST'
          ? this.#tryBroken(brokenHttp(request, random), random.chance(20) ? 'cut' : 'half', tally)
          : this.#try(request, tally);
      });
      faults.push(...(await Promise.all(tries)).flat());
    }
    await putBack((method, path, body) => this.#ask(method, path, body));
    return {
      inputs: BATCH,
      faults: [...faults, ...this.#trades.faults(), ...this.#server.faults()],
      ends: tally.counts,
    };
  }

  heapBytes(): Promise<number> {
    return this.#server.heapBytes();
  }

  async close(): Promise<readonly string[]> {
    this.#agent.destroy();
    this.#trades.close();
    return this.#server.close();
  }

  async #tryBroken(bytes: Buffer, ending: Ending, tally: Tally): Promise<readonly string[]> {
    const { answer, isClosed } = await exchange(this.#server.port, [bytes], ending);
    const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 'closed';
    tally.add(`raw ${status}`);
    const shown = JSON.stringify(bytes.toString('latin1').slice(0, 1500));
    if (/^HTTP\/1\.1 500/m.test(answer)) return [`answered 500 to ${shown}: ${answer.slice(0, 500)}`];
    return isClosed ? [] : [`kept the connection of a client that had ended it: ${shown}`];
  }

  async #try(request: HttpRequest, tally: Tally): Promise<readonly string[]> {
    const answered = await this.#answer(request);
    if (typeof answered === 'string') {
      tally.add(answered);
      return [];
    }
    tally.add(String(answered.status));
    const fault = await faultOf(request, answered, this.#check, (again) => this.#answer(again));
    return fault === undefined ? [] : [`${fault}\n  ${requestText(request)}`];
  }

  /** In words where there is no answer: what the client itself would not send, or a connection that was closed. */
  #answer(request: HttpRequest): Promise<Answered | string> {
    const { method, target, headers, body } = request;
    const startMs = performance.now();
    return new Promise((resolve) => {
      const options = { method, agent: this.#agent, path: target, headers: lengthened(headers, body) };
      try {
        const call = httpRequest(this.#server.url, options, (response) => {
          const tookMs = performance.now() - startMs;
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', () => resolve('cut off'));
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            const contentType = response.headers['content-type'] ?? null;
            this.#hear(request, text);
            resolve({ status: response.statusCode ?? 0, text, contentType, tookMs });
          });
        });
        call.on('upgrade', (_, socket) => {
          socket.destroy();
          resolve('upgraded');
        });
        call.on('error', () => resolve('closed'));
        call.end(body);
      } catch {
        resolve('not sent');
      }
    });
  }

  #hear({ operation, method, target }: HttpRequest, text: string): void {
    const parsed = parsedOf(text);
    const path = pathOf(target);
    this.#trades.hear(path.startsWith('/refusals/') ? { ...operation, method } : { method, path }, parsed);
    this.#names.learn(parsed);
  }

  async #ask(method: string, path: string, body?: object): Promise<unknown> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = { host: 'localhost', 'content-type': 'application/json' };
    const request = { operation: { method, path }, method, target: path, headers, body: text, peer: OWNER };
    const answered = await this.#answer(request);
    return typeof answered === 'string' ? undefined : parsedOf(answered.text);
  }
}

function credentialsFor({ security = [] }: Operation, given: Readonly<Record<string, string>>): Record<string, string> {
  const ways = security.flatMap((way) => Object.keys(way));
  if (ways.includes('adminToken')) return { 'x-admin-token': given.ADMIN_TOKEN ?? '' };
  if (ways.includes('analysisKey')) return { authorization: `Bearer ${given.ANALYSIS_KEY}` };
  return ways.includes('scriptKey') ? { authorization: `Bearer ${given.SCRIPT_KEY}` } : {};
}

/** Without a length the client would send a DELETE in chunks. */
const lengthened = (headers: HttpRequest['headers'], body: HttpRequest['body']): Record<string, string | number> =>
  body === undefined ? { ...headers } : { ...headers, 'content-length': Buffer.byteLength(body) };
