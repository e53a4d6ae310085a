// The docs page: its policy, its independence, and what its script makes of a document.
import { createHash } from 'node:crypto';
import { createContext, runInContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { docsPage } from './docs-page.ts';
import { buildOpenApi } from './openapi.ts';

const { html, headers } = docsPage({
  title: 'Gateway <API> & "more"',
  openapiUrl: '/openapi.json?a="b',
  release: '0.2.0',
});

function part(tag: string): string {
  return new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(html)?.[1] ?? '';
}

describe('the docs page', () => {
  test('escapes its title and address', () => {
    expect(html).toContain('<title>Gateway &lt;API&gt; &amp; &quot;more&quot;</title>');
    expect(html).toContain('data-openapi="/openapi.json?a=&quot;b" data-release="0.2.0"');
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

/** As much of a browser's document as the script touches. */
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

  hidden = false;

  get textContent(): string {
    return this.children.map((child) => (typeof child === 'string' ? child : child.textContent)).join('\t');
  }

  set textContent(text: string) {
    this.children = [text];
  }
}

async function render(answer: { ok: boolean; status: number; json: () => Promise<unknown> }) {
  const ids = ['about', 'contents', 'endpoints', 'variables', 'search', 'nothing'];
  const nodes = Object.fromEntries(ids.map((id) => [id, new Node('div')]));
  const document = {
    createElement: (tag: string) => new Node(tag),
    getElementById: (id: string) => nodes[id],
    body: { dataset: { openapi: '/openapi.json', release: '0.2.0' } },
  };
  const location = { origin: 'http://127.0.0.1:8787', hash: '' };
  runInContext(part('script'), createContext({ document, location, fetch: async () => answer }));
  await new Promise((resolve) => setImmediate(resolve));
  return {
    about: nodes.about?.textContent,
    contents: nodes.contents?.textContent,
    endpoints: nodes.endpoints?.textContent,
    variables: nodes.variables?.textContent,
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
        bodyExample: { apiKey: '$WEBHOOK_KEY', notify: { parseMode: "it's" } },
        responses: { 200: { description: 'Done' }, 400: { description: 'Mend it' } },
      },
      {
        method: 'get',
        path: '/trades/{id}',
        summary: 'One trade',
        tags: ['trades'],
        door: 'internal',
        params: z.object({ id: z.string().meta({ examples: ['$REQUEST_ID'] }) }),
        query: z.object({ limit: z.int().min(1).default(10) }),
        responses: { 200: { description: 'The trade', schema: answer } },
      },
      ...(['admin', 'analysisKey', 'scriptKey', 'loopback', 'public'] as const).map((door) => ({
        ...{ method: 'get' as const, path: `/behind/${door}/{name}`, door, summary: door, tags: ['doors'] },
        params: z.object({ name: z.string().meta({ examples: ['some-name'] }) }),
        responses: { 200: { description: 'Open' } },
      })),
      {
        ...{ method: 'post', path: '/behind/wallet', asksFor: 'internalAndWalletToken', summary: 'w', tags: ['doors'] },
        responses: { 200: { description: 'Paid' } },
      },
      {
        ...{ method: 'get', path: '/socket', door: 'public', summary: 'A socket', tags: ['doors'] },
        responses: { 101: { description: 'Upgraded' } },
      },
    ],
  });

  test('shows endpoints by tag with fields, rules, statuses and a curl line', async () => {
    const { about, contents, endpoints } = await render({ ok: true, status: 200, json: async () => spec });
    expect(about).toBe('Version 1.0.0 (interface) · program 0.2.0. Signals in.');
    expect(contents).toMatch(/^signals\tPOST\t \/webhook\ttrades\tGET\t \/trades\/{id}\tdoors/);
    expect(endpoints).toContain("apiKey\tstring\tyes\tThe key, <b>don't</b> share it (at most 64 characters)");
    expect(endpoints).toContain('notify.parseMode\t"Plain" | "HTML"\tno\tdefault "Plain"');
    expect(endpoints).toContain('400\tMend it');
    expect(endpoints).toContain('limit\tinteger, in the query\tno\tat least 1, default 10');
    expect(endpoints).toContain(`-d '{"apiKey":"'"$WEBHOOK_KEY"'","notify":{"parseMode":"it'\\''s"}}'`);
    expect(endpoints).toContain(`curl -sS -X POST 'http://127.0.0.1:8787/webhook'`);
    expect(endpoints).toContain(
      `curl -sS 'http://127.0.0.1:8787/trades/'"$REQUEST_ID" \\\n  -H "X-Internal-Auth-Key: $INTERNAL_TOKEN"`,
    );
  });

  test.each([
    ['POST\t/webhook', 'webhook key, in the body', undefined],
    ['GET\t/trades/{id}', 'internal token or session', '-H "X-Internal-Auth-Key: $INTERNAL_TOKEN"'],
    ['GET\t/behind/admin/{name}', 'admin token', '-H "X-Admin-Token: $ADMIN_TOKEN"'],
    ['GET\t/behind/analysisKey/{name}', 'analysis key', '-H "Authorization: Bearer $ANALYSIS_KEY"'],
    ['GET\t/behind/scriptKey/{name}', 'script key', '-H "Authorization: Bearer $SCRIPT_KEY"'],
    ['GET\t/behind/loopback/{name}', 'internal token or session, not always needed', undefined],
    ['GET\t/behind/public/{name}', 'no credential', undefined],
    [
      'POST\t/behind/wallet',
      'internal token and wallet token or session and wallet token',
      '-H "X-Internal-Auth-Key: $INTERNAL_TOKEN" \\\n  -H "X-Wallet-Token: $WALLET_TOKEN"',
    ],
  ])('%s shows "%s" and sends it', async (title, words, headers) => {
    const { endpoints = '' } = await render({ ok: true, status: 200, json: async () => spec });
    const [, article = ''] = endpoints.split(`${title}\t`);
    expect(article.startsWith(`${words}\t`)).toBe(true);
    const [, line = ''] = /(curl -sS [^\t]*)/.exec(article) ?? [];
    const sent = line.split(' \\\n  ').filter((part) => part.startsWith('-H "'));
    expect(sent.join(' \\\n  ')).toBe(headers ?? '');
    expect(line).not.toContain('/{');
  });

  test('has no curl line for a WebSocket', async () => {
    const { endpoints = '' } = await render({ ok: true, status: 200, json: async () => spec });
    expect(endpoints.split('/socket')[1]).not.toContain('curl');
    expect(endpoints).toContain("new WebSocket('ws://127.0.0.1:8787/socket')");
  });

  test('explains the variables of its lines, and no others', async () => {
    const { variables } = await render({ ok: true, status: 200, json: async () => spec });
    expect(variables).toContain('$REQUEST_ID');
    expect(variables).toContain("-X POST 'http://127.0.0.1:8787/admin/webhook-keys'");
    expect(variables).not.toContain('$DEVICE_CODE');
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
