// Keeps the files of the dashboard, and nothing else, so that an installed one opens at once and also while the server is away. Answers
// of the API are never kept: an old price or position is worse than none. A press on a notification leads back to the page.

interface ExtendableEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface FetchEvent extends ExtendableEvent {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}
interface NotificationEvent extends ExtendableEvent {
  readonly notification: { close(): void };
}
interface Worker {
  skipWaiting(): Promise<void>;
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: { readonly type: 'window' }): Promise<readonly { focus(): Promise<unknown> }[]>;
    openWindow(address: string): Promise<unknown>;
  };
}

const KEPT = 'signalbox-files';
const PAGE = '/';
/** Their names hold the digest of their content. */
const isForever = (path: string): boolean => path.startsWith('/app/');

/** What a proxy answers while the server behind it is away. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504]);

const worker = globalThis as unknown as Worker;

addEventListener('install', (event) => (event as ExtendableEvent).waitUntil(worker.skipWaiting()));
addEventListener('activate', (event) => (event as ExtendableEvent).waitUntil(worker.clients.claim()));
addEventListener('fetch', (event) => {
  const { request } = event as FetchEvent;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  if (pathname === PAGE) (event as FetchEvent).respondWith(newest(request));
  else if (isForever(pathname)) (event as FetchEvent).respondWith(kept(request));
});

addEventListener('notificationclick', (event) => {
  const { notification } = event as NotificationEvent;
  notification.close();
  (event as NotificationEvent).waitUntil(showPage());
});

/** The one that is open, or a new one. */
async function showPage(): Promise<void> {
  const [open] = await worker.clients.matchAll({ type: 'window' });
  await (open === undefined ? worker.clients.openWindow(PAGE) : open.focus());
}

/** The server's page, and the one that was kept where the server, or the one behind a proxy, does not answer. A new page makes the files of the old one worthless. */
async function newest(request: Request): Promise<Response> {
  const cache = await caches.open(KEPT);
  const before = await cache.match(PAGE);
  try {
    const response = await fetch(request);
    if (before !== undefined && AWAY.has(response.status)) return before;
    if (!response.ok) return response;
    if (before?.headers.get('etag') !== response.headers.get('etag'))
      for (const old of await cache.keys()) await cache.delete(old);
    await cache.put(PAGE, response.clone());
    return response;
  } catch (error) {
    if (before !== undefined) return before;
    throw error;
  }
}

async function kept(request: Request): Promise<Response> {
  const cache = await caches.open(KEPT);
  const found = await cache.match(request);
  if (found !== undefined) return found;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
}
