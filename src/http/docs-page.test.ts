// The docs page: its policy, its independence, and what its script makes of a document.
import { createHash } from 'node:crypto';
import { createContext, runInContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { docsPage } from './docs-page.ts';
import { buildOpenApi } from './openapi.ts';

const { html, headers } = docsPage('Gateway <API> & "more"', '/openapi.json?a="b');

function part(tag: string): string {
  return new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(html)?.[1] ?? '';
}

describe('the docs page', () => {
  test('escapes its title and address', () => {
    expect(html).toContain('<title>Gateway &lt;API&gt; &amp; &quot;more&quot;</title>');
    expect(html).toContain('data-openapi="/openapi.json?a=&quot;b"');
  });

  test('carries a policy that allows exactly its own style and script', () => {
    for (const tag of ['style', 'script']) {
      const digest = createHash('sha256').update(part(tag)).digest('base64');
      expect(headers['content-security-policy']).toContain(`${tag}-src 'sha256-${digest}'`);
    }
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; .*connect-src 'self'/);
  });

  test('asks no other server for anything', () => {
    expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
    expect(html).not.toMatch(/@import|url\(/);
  });
});

// As much of a browser's document as the script touches.
class Node {
  readonly tag: string;
  readonly attributes: Record<string, string> = {};
  children: (Node | string)[] = [];

  constructor(tag: string) {
    this.tag = tag;
  }

  setAttribute(name: string, value: string): void {
    this.attributes[name] = value;
  }

  append(...children: (Node | string)[]): void {
    this.children.push(...children);
  }

  addEventListener(): void {}

  get textContent(): string {
    return this.children.map((child) => (typeof child === 'string' ? child : child.textContent)).join('\t');
  }

  set textContent(text: string) {
    this.children = [text];
  }
}

async function render(answer: { ok: boolean; status: number; json: () => Promise<unknown> }) {
  const nodes: Record<string, Node> = { about: new Node('p'), contents: new Node('nav'), endpoints: new Node('main') };
  const document = {
    createElement: (tag: string) => new Node(tag),
    getElementById: (id: string) => nodes[id],
    body: { dataset: { openapi: '/openapi.json' } },
  };
  const location = { origin: 'http://127.0.0.1:8787', hash: '' };
  runInContext(part('script'), createContext({ document, location, fetch: async () => answer }));
  await new Promise((resolve) => setImmediate(resolve));
  return {
    about: nodes.about?.textContent,
    contents: nodes.contents?.textContent,
    endpoints: nodes.endpoints?.textContent,
  };
}

describe('the script of the page', () => {
  const schema = z.object({
    apiKey: z.string().max(64).describe("The key, <b>don't</b> share it"),
    notify: z.object({ parseMode: z.enum(['Plain', 'HTML']).default('Plain') }).optional(),
  });
  const answer = z.object({
    at: z.int().describe('ms since 1970'),
    result: z.object({ price: z.number().max(1e15).nullable() }).nullable(),
    fills: z.array(z.object({ fillId: z.string().min(1).max(8) })),
  });
  const spec = buildOpenApi({
    title: 'Gateway',
    version: '1.0.0',
    description: 'Signals in.',
    errorShapeSchema: z.object({ error: z.string() }),
    endpoints: [
      {
        method: 'post',
        path: '/webhook',
        summary: 'Send a signal',
        tags: ['signals'],
        door: 'public',
        body: schema,
        bodyExample: { apiKey: "it's" },
        responses: { 200: { description: 'Done' }, 400: { description: 'Mend it' } },
      },
      {
        method: 'get',
        path: '/trades/{id}',
        summary: 'One trade',
        tags: ['trades'],
        door: 'internal',
        query: z.object({ limit: z.int().min(1).default(10) }),
        responses: { 200: { description: 'The trade', schema: answer } },
      },
    ],
  });

  test('shows endpoints by tag with fields, rules, statuses and a curl line', async () => {
    const { about, contents, endpoints } = await render({ ok: true, status: 200, json: async () => spec });
    expect(about).toBe('Version 1.0.0. Signals in.');
    expect(contents).toBe('signals\tPOST\t /webhook\ttrades\tGET\t /trades/{id}');
    expect(endpoints).toContain("apiKey\tstring\tyes\tThe key, <b>don't</b> share it (at most 64 characters)");
    expect(endpoints).toContain('notify.parseMode\t"Plain" | "HTML"\tno\tdefault "Plain"');
    expect(endpoints).toContain('400\tMend it');
    expect(endpoints).toContain('limit\tinteger, in the query\tno\tat least 1, default 10');
    expect(endpoints).toContain(`-d '{"apiKey":"it'\\''s"}'`);
    expect(endpoints).toContain(`curl -sS -X POST 'http://127.0.0.1:8787/webhook'`);
    expect(endpoints).toContain(`curl -sS 'http://127.0.0.1:8787/trades/{id}'`);
    expect(endpoints).toContain('X-Internal-Auth-Key: $INTERNAL_TOKEN');
  });

  test('shows what an answer holds, also inside lists and where it may be null', async () => {
    const { endpoints } = await render({ ok: true, status: 200, json: async () => spec });
    expect(endpoints).toContain('Fields of a 200 answer');
    expect(endpoints).toContain('at\tinteger\tms since 1970\tresult');
    expect(endpoints).toContain('result.price\tnumber | null');
    expect(endpoints).toContain('fills[].fillId\tstring\t1 to 8 characters');
  });

  test('says what to do when the document does not load', async () => {
    const { about } = await render({ ok: false, status: 503, json: async () => ({}) });
    expect(about).toContain('did not load (status 503). Reload the page.');
  });
});
