// The files of the dashboard: the page at /, what it loads, and what lets it be installed.

import { z } from 'zod';
import { APP, ENCODINGS, type Encoding, type PageFile } from '../../builds/built-dashboard.ts';
import type { App } from '../../http/app.ts';
import type { KitContext } from '../../http/context.ts';
import type { Endpoint, EndpointDoc } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { type InternalGate, internalGates } from '../../http/internal-auth.ts';
import { mountEndpoints } from '../../http/mount-endpoints.ts';

export interface PagesDeps {
  /** By their paths; undefined where the dashboard was not built. */
  readonly files: ReadonlyMap<string, PageFile> | undefined;
}

/** Files of this server alone, and nothing inline. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The engine makes functions of scripts. A worker goes by the policy of its own file, so nothing else may; and it may ask nobody anything. */
const ENGINE_POLICY = "default-src 'none'; script-src 'self' 'unsafe-eval'; frame-ancestors 'none'";
const ENGINE_FILE = /^\/app\/engine-worker-/;

/** Of files whose names hold the digest of their content. */
const FOREVER = 'public, max-age=31536000, immutable';
const ALWAYS_ASK = 'no-cache';

const NOT_BUILT =
  'The dashboard is not built. Run "npm run build" in the folder of Signalbox and start it again; everything else works without it.';

const BUILT_ANEW =
  'This file is of another build of the dashboard. Load the page again. If that does not help, it was built anew while Signalbox runs: start Signalbox again.';

const TAGS = ['Dashboard'];
/** For those that take no SVG: Android in two forms, and Apple. */
const ICONS = ['/icon-192.png', '/icon-512.png', '/icon-maskable-512.png', '/apple-touch-icon.png'];
const NOT_THERE = { description: 'NOT_FOUND: no such file, or the dashboard is not built' };

const doc = (path: string, summary: string, mediaType: string): EndpointDoc => ({
  ...{ method: 'get', path, door: 'public', summary, tags: TAGS },
  responses: { 200: { description: summary, mediaType }, 304: { description: 'As you have it' }, 404: NOT_THERE },
});

export const mountPages = (app: App, deps: PagesDeps, gate: InternalGate): void =>
  mountEndpoints(app, pageEndpoints(deps), internalGates(gate));

const pageEndpoints = ({ files }: PagesDeps): readonly Endpoint[] => {
  const handler = (c: KitContext): Response => answer(c, files);
  return [
    { ...doc('/', 'The dashboard', 'text/html'), handler },
    { ...doc('/favicon.svg', 'Its icon', 'image/svg+xml'), handler },
    ...ICONS.map((path) => ({ ...doc(path, 'Its icon where it is installed', 'image/png'), handler })),
    { ...doc('/service-worker.js', 'Keeps its files in the browser', 'text/javascript'), handler },
    { ...doc('/manifest.webmanifest', 'What lets it be installed', 'application/manifest+json'), handler },
    {
      ...doc('/app/{file}', 'Scripts, styles and fonts of the dashboard', 'text/javascript'),
      params: z.object({ file: z.string().meta({ examples: ['main.js'] }) }),
      handler,
    },
  ];
};

function answer(c: KitContext, files: PagesDeps['files']): Response {
  const file = files?.get(c.req.path);
  if (file === undefined) throw new Refusal('NOT_FOUND', files === undefined ? NOT_BUILT : BUILT_ANEW);
  const encoding = bestOf(file.encodings, c.req.header('accept-encoding') ?? '');
  // Each encoding is a content of its own.
  const etag = `"${file.digest}${encoding === undefined ? '' : `-${encoding}`}"`;
  const headers: Record<string, string> = {
    'content-type': file.type,
    'content-security-policy': ENGINE_FILE.test(file.path) ? ENGINE_POLICY : POLICY,
    'cache-control': file.path.startsWith(APP) ? FOREVER : ALWAYS_ASK,
    vary: 'accept-encoding',
    etag,
    ...(encoding !== undefined && { 'content-encoding': encoding }),
  };
  if (isKnown(c.req.header('if-none-match'), etag)) return new Response(null, { status: 304, headers });
  const bytes = file.bytes(encoding);
  if (bytes === undefined) throw new Refusal('NOT_FOUND', BUILT_ANEW);
  return new Response(bytes, { headers });
}

const isKnown = (held: string | undefined, etag: string): boolean =>
  held?.split(',').some((each) => each.trim().replace(/^W\//, '') === etag) ?? false;

/** The first that the client takes; `q=0` says that it does not. */
function bestOf(there: readonly Encoding[], accepted: string): Encoding | undefined {
  const taken = new Set(
    accepted
      .split(',')
      .map((part) =>
        part
          .trim()
          .toLowerCase()
          .split(/\s*;\s*/),
      )
      .filter(([, weight]) => !/^q=0(?:\.0*)?$/.test(weight ?? ''))
      .map(([name]) => name),
  );
  return ENCODINGS.find((encoding) => there.includes(encoding) && taken.has(encoding));
}
