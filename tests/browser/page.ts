// A web page on a port of its own, in a real browser, and what its script may do: fetch, and talk on a WebSocket.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { checkAnswer } from '../support/check-answers.ts';

export interface PageServer {
  readonly port: number;
  close(): Promise<void>;
}

const HTML = '<!doctype html><meta charset="utf-8"><title>a page of somebody else</title>';

export async function servePage(): Promise<PageServer> {
  const server = createServer((_, outgoing) => outgoing.end(HTML));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export interface PageCall {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** A test reads whatever the contract says is there. */
type Json = ReturnType<typeof JSON.parse>;

export interface PageAnswer {
  readonly status: number;
  /** Only those that the browser shows to the page. */
  readonly headers: Record<string, string>;
  readonly body: Json;
}

export interface Talk {
  readonly frames: Json[];
  readonly closeCode: number;
}

export interface WebPage {
  readonly origin: string;
  /** What `fetch` in the page gives; the text of its error when the browser refuses to show the answer. */
  call(path: string, call?: PageCall): Promise<PageAnswer | string>;
  /** The same where the page may read it. */
  answer(path: string, call?: PageCall): Promise<PageAnswer>;
  /** Sends every message once the socket is open, and hangs up when a frame of each wanted type is there. */
  talk(path: string, messages: readonly unknown[], wanted: readonly string[]): Promise<Talk>;
}

const TALK_TIMEOUT_MS = 20_000;

export async function openPage(browser: Browser, origin: string, serviceUrl: string): Promise<WebPage> {
  const page = await browser.newPage();
  await page.goto(origin);
  const call = async (path: string, { method = 'GET', headers = {}, body }: PageCall = {}) => {
    const answer = await fetchInPage(page, {
      url: serviceUrl + path,
      init:
        body === undefined
          ? { method, headers }
          : { method, headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) },
    });
    if (typeof answer !== 'string') {
      const { pathname } = new URL(path, serviceUrl);
      const text = answer.body === undefined ? '' : JSON.stringify(answer.body);
      const contentType = answer.headers['content-type'] ?? null;
      await checkAnswer({ method, path: pathname, status: answer.status, contentType, text });
    }
    return answer;
  };
  return {
    origin,
    call,
    async answer(path, asked) {
      const answer = await call(path, asked);
      if (typeof answer === 'string') throw new Error(`the browser did not show the answer to ${path}: ${answer}`);
      return answer;
    },
    talk: (path, messages, wanted) =>
      talkInPage(page, { url: serviceUrl.replace(/^http/, 'ws') + path, messages, wanted, timeoutMs: TALK_TIMEOUT_MS }),
  };
}

interface Fetched {
  readonly url: string;
  readonly init: { method: string; headers: Record<string, string>; body?: string };
}

function fetchInPage(page: Page, fetched: Fetched): Promise<PageAnswer | string> {
  return page.evaluate(async ({ url, init }) => {
    try {
      const answer = await fetch(url, init);
      const text = await answer.text();
      return {
        status: answer.status,
        headers: Object.fromEntries(answer.headers.entries()),
        body: text === '' ? undefined : JSON.parse(text),
      };
    } catch (error) {
      return String(error);
    }
  }, fetched);
}

interface Talked {
  readonly url: string;
  readonly messages: readonly unknown[];
  readonly wanted: readonly string[];
  readonly timeoutMs: number;
}

function talkInPage(page: Page, talked: Talked): Promise<Talk> {
  return page.evaluate(
    ({ url, messages, wanted, timeoutMs }) =>
      new Promise<Talk>((resolve) => {
        const frames: { type: string }[] = [];
        const socket = new WebSocket(url);
        const hangUp = () => socket.close(1000);
        setTimeout(hangUp, timeoutMs);
        socket.onopen = () => {
          for (const message of messages) socket.send(JSON.stringify(message));
        };
        socket.onmessage = ({ data }) => {
          frames.push(JSON.parse(String(data)));
          if (wanted.every((type) => frames.some((frame) => frame.type === type))) hangUp();
        };
        socket.onclose = ({ code }) => resolve({ frames, closeCode: code });
      }),
    talked,
  );
}
