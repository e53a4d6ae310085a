#!/usr/bin/env node
// Hands the command line to the product: in this process when its Node can run TypeScript, else in the Node that came with the packages.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const NEEDED_MAJOR = 24;
const MAIN = new URL('../src/main.ts', import.meta.url);
/** A packed file (`npm pack`) has no sources: what was built of them is all there is. */
const PACKED_MAIN = new URL('../dist/product/main.js', import.meta.url);
/** On a large machine V8 would let young garbage take 128 MB before it looks at it; `npm start` says the same. */
const NODE_OPTIONS = ['--max-semi-space-size=16'];
/** Tells the Node that came with the packages that a launcher waits for it. */
const LAUNCHED = 'SIGNALBOX_LAUNCHED';

// Reading a few hundred TypeScript files takes most of a start; what was read once is kept. Child processes find it by name.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url));
module.enableCompileCache?.(process.env.NODE_COMPILE_CACHE);

if (Number.parseInt(process.versions.node, 10) >= NEEDED_MAJOR) {
  endWithLauncher();
  await import((await findMain()).href);
} else runInBundledNode();

async function findMain() {
  if (!existsSync(MAIN)) return PACKED_MAIN;
  const { findBuiltProduct } = await import('../src/builds/built-product.ts');
  return findBuiltProduct() ?? MAIN;
}

function runInBundledNode() {
  const node = findBundledNode();
  if (node === undefined) {
    console.error(
      `Signalbox needs Node.js ${NEEDED_MAJOR} or newer; this is ${process.versions.node}. Install Node ${NEEDED_MAJOR}, or on Linux (x64 or arm64) run "npm ci" once, or install the packed file again: both bring their own.`,
    );
    process.exit(1);
  }
  const child = spawn(node, [...NODE_OPTIONS, fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    // The channel carries nothing. It is closed by the kernel however the launcher ends, kill -9 included.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [LAUNCHED]: '1' },
  });
  forwardSignals(child);
  child.on('error', (error) => {
    console.error(
      `The Node.js that came with the packages does not start (${error.message}). Run "npm ci", or install the packed file, again.`,
    );
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}

/** Nobody could stop what a launcher that was killed leaves behind: it stops by itself, as gracefully as by SIGTERM. */
function endWithLauncher() {
  if (process.env[LAUNCHED] === undefined) return;
  // Processes that this one starts are not the launcher's.
  delete process.env[LAUNCHED];
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // A command that is done ends, whoever listens.
  process.channel?.unref();
}

/**
 * The package of the machine's own processor puts it there, whatever that package is called: among our own packages, or,
 * where Signalbox is a package of another project, among its neighbours.
 */
function findBundledNode() {
  const places = ['../node_modules/.bin/node', '../../.bin/node'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  return places.find((node) => existsSync(node));
}

/** Stopping the launcher stops the gateway gracefully: the launcher waits until the gateway has drained. */
function forwardSignals(child) {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'])
    process.on(signal, () => {
      // A terminal sends Ctrl-C to both processes itself.
      if (signal !== 'SIGTERM' && process.stdin.isTTY) return;
      child.kill(signal);
    });
}
