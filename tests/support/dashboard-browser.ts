// The dashboard in a real browser against the real program: whatever the browser complains about fails the test.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { type ChromiumOptions, startChromium } from './chromium.ts';
import { closeAtEnd, closeWithFile } from './close-at-end.ts';
import { type RunningProcess, type StartOptions, startProcess } from './process.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What the browser's driver says where it lets none be registered. */
const WORKER_BLOCKED = 'Service Worker registration blocked';

export interface OpenedPage {
  readonly page: Page;
  /** What the browser has complained about so far: errors, refused loads, breaches of the policy. */
  readonly complaints: string[];
}

export interface PageOptions {
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  /** Behind the address, such as #/trades. */
  readonly place?: string;
  /** Whether the files of the dashboard may be kept. What a test answers itself (page.route) passes a service worker by. */
  readonly keepsFiles?: boolean;
  /** Where the reader is; the machine's own zone without it. */
  readonly timezoneId?: string;
  /** What the test provokes, and the browser may complain about. */
  readonly expected?: readonly RegExp[];
}

/** Each answer that is no success is a complaint: for a test that makes the server refuse, and says what the page then shows. */
export const REFUSALS: readonly RegExp[] = [/the server responded with a status of (?:4|5)\d\d/];

/** What a browser says while its server is gone, or an answer of it is lost: each question and each socket that nobody answers is an error of its own. */
export const LOST_SERVER: readonly RegExp[] = [
  /net::ERR_(?:CONNECTION_\w+|EMPTY_RESPONSE|SOCKET_\w+|INTERNET_DISCONNECTED|FAILED)/,
  // One that begins or ends, or a proxy in front of one that is gone.
  /Error during WebSocket handshake: Unexpected response code: 50[234]/,
];

export class DashboardBrowser {
  readonly signalbox: RunningProcess;
  readonly #browser: Browser;

  constructor(signalbox: RunningProcess, browser: Browser) {
    this.signalbox = signalbox;
    this.#browser = browser;
  }

  async open(options: PageOptions = {}): Promise<OpenedPage> {
    const { colorScheme = 'light', width = 1440, height = 900, place = '', keepsFiles = false } = options;
    const { expected = [], timezoneId } = options;
    const context = await this.#browser.newContext({
      ...{ colorScheme, viewport: { width, height }, serviceWorkers: keepsFiles ? 'allow' : 'block' },
      ...(timezoneId !== undefined && { timezoneId }),
    });
    const complaints: string[] = [];
    closeAtEnd(async () => {
      const unexpected = complaints.filter((words) => !expected.some((known) => known.test(words)));
      await context.close();
      expect(unexpected, 'what the browser complains about').toEqual([]);
    });
    const page = await context.newPage();
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()) && !message.text().includes(WORKER_BLOCKED))
        complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(this.signalbox.url) && !/^(?:data|blob):/.test(request.url()))
        complaints.push(`asked another server: ${request.url()}`);
    });
    await page.goto(`${this.signalbox.url}/${place}`);
    return { page, complaints };
  }

  /** A signal by the webhook, as from outside. */
  async signal(fields: object): Promise<Readonly<Record<string, unknown>>> {
    const body = {
      apiKey: this.signalbox.apiKey,
      exchange: 'binance',
      action: 'LONG',
      symbol: 'BTCUSDT',
      quantity: 0.01,
    };
    const response = await fetch(`${this.signalbox.url}/webhook`, {
      ...{
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, ...fields }),
      },
    });
    return (await response.json()) as Record<string, unknown>;
  }
}

/** Both are closed when the file's tests have ended; call it in beforeAll. */
export async function startDashboard(
  options: StartOptions & Pick<ChromiumOptions, 'isWhole'> = {},
): Promise<DashboardBrowser> {
  const browser = await startChromium(options);
  closeWithFile(() => browser.close());
  const signalbox = await startProcess(options);
  closeWithFile(async () => void (await signalbox.stop()));
  return new DashboardBrowser(signalbox, browser);
}

/** Call it before the page is loaded; what it returns waits until that page hears of events as they happen. */
export function nextStream(page: Page): () => Promise<void> {
  let isOpen = false;
  page.on('websocket', (socket) => {
    // At once: the first frame may come before anybody could be told of the socket and answer.
    if (!socket.url().includes('/events')) return;
    socket.once('framereceived', () => {
      isOpen = true;
    });
  });
  return () => expect.poll(() => isOpen, { timeout: 30_000 }).toBe(true);
}

/** Nothing on the page is out of reach for who cannot see it, or hard to see for who can. */
export async function expectAccessible(page: Page): Promise<void> {
  // Through the debugger: the page's own policy lets no foreign script in, and that is what is tested elsewhere.
  await page.evaluate(AXE);
  const faults = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run: () => Promise<{ violations: readonly Violation[] }> } };
    interface Violation {
      readonly id: string;
      readonly help: string;
      readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
    }
    const { violations } = await axe.run();
    return violations.map(
      ({ id, help, nodes }) =>
        `${id}: ${help}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join(' | ')}`,
    );
  });
  expect(faults).toEqual([]);
}
