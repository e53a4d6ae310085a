// Builds the dashboard: Vite makes the files a browser asks for, and each is compressed once, here.

import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'vite';
import {
  DASHBOARD_FOLDER,
  DASHBOARD_LIST,
  ENCODINGS,
  ENDINGS,
  type Encoding,
  type ListedFile,
} from '../src/builds/built-dashboard.ts';

const SOURCES = fileURLToPath(new URL('../dashboard/', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
};
/** Compressed as they are. */
const DENSE = new Set(['.png', '.woff2']);

const compress: Readonly<Record<Encoding, (bytes: Buffer) => Buffer>> = {
  br: (bytes) => brotliCompressSync(bytes),
  gzip: (bytes) => gzipSync(bytes, { level: 9 }),
};

export async function buildDashboard(folder: URL = DASHBOARD_FOLDER): Promise<void> {
  const target = fileURLToPath(folder).replace(/\/$/, '');
  const draft = `${target}.${process.pid}`;
  try {
    await bundle(draft);
    const files = globSync('**/*.*', { cwd: draft }).sort();
    const list = files.filter((name) => !name.endsWith('.woff')).map((name) => listed(draft, name));
    writeFileSync(join(draft, DASHBOARD_LIST), JSON.stringify(list));
    const before = `${draft}.before`;
    if (existsSync(target)) renameSync(target, before);
    renameSync(draft, target);
    rmSync(before, { recursive: true, force: true });
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

async function bundle(outDir: string): Promise<void> {
  mkdirSync(outDir, { recursive: true });
  await build({
    root: SOURCES,
    configFile: false,
    logLevel: 'error',
    base: '/',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    worker: { format: 'es' },
    build: {
      ...{ outDir, emptyOutDir: true, assetsDir: 'app', target: 'es2024', modulePreload: { polyfill: false } },
      // No image or font becomes a part of a script: the policy of the page lets in files of this server alone.
      assetsInlineLimit: 0,
      rolldownOptions: {
        input: { index: join(SOURCES, 'index.html'), 'service-worker': join(SOURCES, 'shell/service-worker.ts') },
        output: {
          // A browser knows a service worker by its address.
          entryFileNames: ({ name }) => (name === 'service-worker' ? 'service-worker.js' : 'app/[name]-[hash].js'),
        },
      },
    },
  });
}

function listed(folder: string, name: string): ListedFile {
  const bytes = readFileSync(join(folder, name));
  const ending = extname(name);
  const type = TYPES[ending];
  if (type === undefined) throw new Error(`the dashboard has a file of an unknown kind: ${name}`);
  const encodings = DENSE.has(ending) ? [] : ENCODINGS;
  for (const encoding of encodings)
    writeFileSync(join(folder, `${name}${ENDINGS[encoding]}`), compress[encoding](bytes));
  return {
    path: name === 'index.html' ? '/' : `/${name.replaceAll('\\', '/')}`,
    ...{ type, digest: createHash('sha256').update(bytes).digest('base64url').slice(0, 22), encodings },
  };
}
