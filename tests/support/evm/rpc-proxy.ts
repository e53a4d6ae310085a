// A door in front of a test network that can be cut, delayed, or made to lose answers, for one kind of question or all.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * `cut`: the question never arrives. `lose-answer`: it arrives and is carried out, and the answer is lost.
 * `hang`: nothing comes back. A number is an HTTP status; `garbage` is no JSON; `flood` never ends; `redirect` points
 * elsewhere; `reply` is an answer made up by the test.
 */
export type Trouble =
  | 'cut'
  | 'lose-answer'
  | 'hang'
  | 'garbage'
  | 'flood'
  | 'redirect'
  | number
  | {
      readonly reply: { readonly result?: unknown; readonly error?: { code: number; message: string; data?: unknown } };
    };

export interface RpcProxy {
  readonly url: string;
  readonly port: number;
  /** Methods asked since the beginning, in order. */
  readonly asked: readonly string[];
  /** Of the last question: what its path and its login were. */
  readonly last: { readonly path: string; readonly authorization: string | undefined };
  /** From now on; without methods for every question. At most `times` questions, without it until `heal`. */
  trouble(kind: Trouble, only?: { readonly methods?: readonly string[]; readonly times?: number }): void;
  /** How much longer every answer takes. */
  delay(delayMs: number): void;
  heal(): void;
  close(): Promise<void>;
}

interface Plan {
  readonly kind: Trouble;
  readonly methods: readonly string[] | undefined;
  left: number;
}

const HOST = '127.0.0.1';

/** `target` is the address of the node, which may change on the way. */
export async function startRpcProxy(target: string | (() => string)): Promise<RpcProxy> {
  const asked: string[] = [];
  let plan: Plan | undefined;
  let delayMs = 0;
  let last: RpcProxy['last'] = { path: '', authorization: undefined };
  const troubleFor = (methods: readonly string[]): Trouble | undefined => {
    if (plan === undefined || plan.left === 0) return undefined;
    const { methods: only } = plan;
    if (only !== undefined && !methods.some((method) => only.includes(method))) return undefined;
    plan.left -= 1;
    return plan.kind;
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await textOf(request);
    const questions = [JSON.parse(body)].flat() as { id: number; method: string }[];
    const methods = questions.map(({ method }) => method);
    asked.push(...methods);
    last = { path: request.url ?? '', authorization: request.headers.authorization };
    const kind = troubleFor(methods);
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    if (kind === 'hang') return;
    if (kind === 'cut') return void request.socket.destroy();
    if (kind === 'garbage') return void response.end('<html>all is well</html>');
    if (kind === 'redirect')
      return void response.writeHead(307, { location: typeof target === 'string' ? target : target() }).end();
    if (kind === 'flood') return flood(response);
    if (typeof kind === 'number') return void response.writeHead(kind).end('out of order');
    if (typeof kind === 'object') {
      const id = questions[0]?.id;
      return void response.end(JSON.stringify({ jsonrpc: '2.0', id, ...kind.reply }));
    }
    const headers = { 'content-type': 'application/json' };
    const url = typeof target === 'string' ? target : target();
    const text = await (await fetch(url, { method: 'POST', headers, body })).text();
    if (kind === 'lose-answer') return void request.socket.destroy();
    response.writeHead(200, headers).end(text);
  };

  const server = createServer((request, response) => {
    answer(request, response).catch(() => request.socket.destroy());
  }).listen(0, HOST);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${HOST}:${port}`,
    port,
    asked,
    get last() {
      return last;
    },
    trouble(kind, { methods, times = Number.POSITIVE_INFINITY } = {}) {
      plan = { kind, methods, left: times };
    },
    delay(ms) {
      delayMs = ms;
    },
    heal() {
      plan = undefined;
      delayMs = 0;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** More than any answer has, for as long as somebody listens. */
async function flood(response: ServerResponse): Promise<void> {
  const chunk = 'x'.repeat(65_536);
  while (!response.destroyed) {
    response.write(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}
