// A collector of OpenTelemetry on this machine that keeps what it is told.

import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeAtEnd } from './close-at-end.ts';

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
  readonly status?: object;
  readonly links?: readonly object[];
}

export async function openCollector({ status = 200 } = {}) {
  const spans: Span[] = [];
  const heads: (IncomingHttpHeaders & { readonly path?: string })[] = [];
  let text = '';
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString();
      text += body;
      heads.push({ ...request.headers, path: request.url ?? '' });
      for (const { scopeSpans } of JSON.parse(body).resourceSpans)
        for (const scope of scopeSpans) spans.push(...(scope.spans as Span[]));
      response.writeHead(status).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => new Promise<void>((resolve) => void server.close(() => resolve()));
  closeAtEnd(close);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const of = (requestId: string) => spans.filter(({ traceId }) => traceId === requestId.replaceAll('-', ''));
  return { url, spans, heads, of, text: () => text };
}
