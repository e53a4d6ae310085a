// Fuzzes every endpoint of the gateway without a socket: no 500, no answer that openapi.json does not know, no trade nobody told of.

import { randomUUID } from 'node:crypto';
import { createGuessLimit } from '../../../src/http/guess-limit.ts';
import { createFakeChain, fakeSigner } from '../../../src/wallet/testing/fake-chain.ts';
import { NO_RULES, STUCK_MS } from '../../../src/wallet/testing/open-test-wallet.ts';
import { createWallet } from '../../../src/wallet/wallet.ts';
import { apiDocument } from '../api-document.ts';
import { type AnswerChecker, createAnswerChecker } from '../documented-answers.ts';
import { type GatewayOptions, openGateway, type TestGateway } from '../gateway.ts';
import type { Random } from '../random.ts';
import { type BatchReport, type FuzzPart, ownHeapBytes, Tally } from './fuzz-part.ts';
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
import { TradeCount } from './trade-count.ts';

const BATCH = 100;
/** So many are under way at once: what one does may meet another. */
const AT_ONCE = 8;
const WEBHOOK_KEY = 'whk_of_the_fuzzer_0123456789';
const WALLET_TOKEN = 'a wallet token of the fuzzer';
const OWNER_PASSWORD = 'a long password of the fuzzer';

export async function openHttpPart(): Promise<FuzzPart> {
  const document = await apiDocument();
  const gateway = await openGateway({ staticKeys: [WEBHOOK_KEY], accounts: ['swing:hedge'], wallet });
  return new HttpPart(gateway, document as unknown as RequestDocument, createAnswerChecker(document));
}

const wallet: GatewayOptions['wallet'] = async ({ controls, ledger, nowMs, troubles }) => {
  const made = createWallet({
    chains: { ethereum: createFakeChain().chain },
    signer: fakeSigner,
    ledger,
    killSwitch: () => controls.current().killSwitch,
    nowMs,
    newId: randomUUID,
    stuckAfterMs: STUCK_MS,
    confirmations: { ethereum: 3, arbitrum: 3, polygon: 3 },
    pollMs: 10,
    onTrouble: (what, error) => troubles.push(`${what}: ${error}`),
    rules: NO_RULES,
  });
  const guesses = createGuessLimit({ monotonicMs: () => performance.now() });
  const onFault = (error: unknown) => void troubles.push(String(error));
  return { wallet: made, token: WALLET_TOKEN, guesses, onFault, close: () => made.stop() };
};

class HttpPart implements FuzzPart {
  readonly #gateway: TestGateway;
  readonly #check: AnswerChecker;
  readonly #operations: readonly Operation[];
  readonly #names = new KnownNames({ WEBHOOK_KEY, WALLET_TOKEN, OWNER_PASSWORD });
  readonly #requests = new HttpRequests(this.#names, ({ path }) =>
    path.startsWith('/wallet') ? { 'x-wallet-token': WALLET_TOKEN } : ({} as Record<string, string>),
  );
  readonly #trades: TradeCount;

  constructor(gateway: TestGateway, document: RequestDocument, check: AnswerChecker) {
    this.#gateway = gateway;
    this.#check = check;
    this.#trades = new TradeCount(gateway.data.path);
    this.#operations = weighted(operationsOf(document).filter(({ path }) => isServed(gateway, path)));
  }

  async batch(random: Random): Promise<BatchReport> {
    const faults: string[] = [];
    const tally = new Tally();
    for (let made = 0; made < BATCH; made += AT_ONCE) {
      const requests = Array.from({ length: AT_ONCE }, () => {
        const operation = this.#operations[random.between(0, this.#operations.length - 1)] as Operation;
        return this.#requests.make(operation, random);
      });
      const found = await Promise.all(requests.map((request) => this.#try(request, tally)));
      faults.push(...found.flat());
    }
    await putBack((method, path, body) => this.#ask(method, path, body));
    return { inputs: BATCH, faults: [...faults, ...this.#trades.faults(), ...this.#troubles()], ends: tally.counts };
  }

  heapBytes(): number {
    return ownHeapBytes();
  }

  async close(): Promise<readonly string[]> {
    this.#trades.close();
    await this.#gateway.close();
    return this.#trades.total === 0 ? ['not one request of the fuzzer has traded'] : [];
  }

  async #try(request: HttpRequest, tally: Tally): Promise<readonly string[]> {
    const answered = await this.#answer(request);
    if (typeof answered === 'string') return [`${answered}\n  ${requestText(request)}`];
    tally.add(String(answered.status));
    const fault = await faultOf(request, answered, this.#check, (again) => this.#answer(again));
    return fault === undefined ? [] : [`${fault}\n  ${requestText(request)}`];
  }

  /** In words where the program threw. */
  async #answer({ operation, method, target, headers, body, peer }: HttpRequest): Promise<Answered | string> {
    const request = requestOf(method, target, headers, body);
    const startMs = performance.now();
    try {
      const response = await this.#gateway.app.request(request, undefined, { peer });
      const tookMs = performance.now() - startMs;
      const text = await response.text();
      const parsed = parsedOf(text);
      // What was asked with another method or at another path is another endpoint's answer.
      const asked = { method, path: pathOf(target) };
      this.#trades.hear(asked.path.startsWith('/refusals/') ? { ...operation, method } : asked, parsed);
      this.#names.learn(parsed);
      const contentType = response.headers.get('content-type');
      return { status: response.status, text, contentType, tookMs };
    } catch (error) {
      return `threw ${error instanceof Error ? error.stack : error}`;
    }
  }

  async #ask(method: string, path: string, body?: object): Promise<unknown> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const operation = { method, path };
    const answered = await this.#answer({
      operation,
      method,
      target: path,
      headers: { host: 'localhost' },
      body: text,
      peer: OWNER,
    });
    return typeof answered === 'string' ? undefined : parsedOf(answered.text);
  }

  /** What the fixture keeps for tests would look like memory that grows. */
  #troubles(): readonly string[] {
    const { troubles, notices, queryLog, refusalLog, alarms, deskAlarms, deskAlarmsOver } = this.#gateway;
    for (const list of [notices, queryLog, refusalLog, alarms, deskAlarms, deskAlarmsOver]) list.length = 0;
    return troubles.splice(0).map((trouble) => `the program complained: ${trouble}`);
  }
}

/** What is mounted; the others belong to the script process, or need what this gateway has not. */
function isServed({ app }: TestGateway, path: string): boolean {
  return app.endpoints.some((endpoint) => endpoint.path.replace(/:(\w+)/g, '{$1}') === path);
}

/** Half of the odd headers are none for the client at hand. */
function requestOf(
  method: string,
  target: string,
  headers: HttpRequest['headers'],
  body: HttpRequest['body'],
): Request {
  const isBare = method === 'GET' || method === 'HEAD' || body === undefined;
  const init = { method, ...(!isBare && { body: body as string }) };
  const kept = new Headers();
  for (const [name, value] of Object.entries(headers))
    try {
      kept.set(name, value);
    } catch {
      // No header for this client; the fuzzer of raw sockets sends it.
    }
  return new Request(`http://localhost${target}`, { ...init, headers: kept });
}
