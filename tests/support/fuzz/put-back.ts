// Undoes what random calls of the owner's endpoints have set, so that the next signals get past the first gate.

/** Sends one request and answers with its JSON body. */
export type Ask = (method: string, path: string, body?: object) => Promise<unknown>;

type Rows = readonly Readonly<Record<string, string>>[];

const rowsOf = (answer: unknown): Rows => {
  const { result } = (answer ?? {}) as { result?: unknown };
  return Array.isArray(result) ? (result as Rows) : [];
};

export async function putBack(ask: Ask): Promise<void> {
  await ask('PUT', '/admin/kill-switch', { active: false });
  await ask('PUT', '/admin/queue-mode', { mode: 'failover' });
  await ask('PUT', '/admin/allowlist', { entries: [] });
  await ask('PUT', '/admin/limits', { webhookRatePerMinute: 0, failedAuthPerMinute: 0 });
  for (const { kind = '', name = '' } of rowsOf(await ask('GET', '/admin/restrictions'))) {
    const path = `/admin/restrictions/${kind}/${encodeURIComponent(name)}`;
    await ask('DELETE', `${path}/limits`);
    await ask('PUT', `${path}/pause`, { paused: false });
    await ask('PUT', `${path}/kill-switch`, { active: false });
  }
  for (const { symbol = '' } of rowsOf(await ask('GET', '/admin/symbol-map')))
    await ask('DELETE', `/admin/symbol-map?symbol=${encodeURIComponent(symbol)}`);
  for (const { keyId = '' } of rowsOf(await ask('GET', '/admin/webhook-keys')))
    await ask('DELETE', `/admin/webhook-keys/${keyId}`);
  for (const { kind = '', name = '', revision } of rowsOf(await ask('GET', '/admin/layouts')))
    await ask('DELETE', `/admin/layouts/${kind}/${encodeURIComponent(name)}?revision=${revision}`);
  await ask('POST', '/orders/cancel', {});
  await ask('POST', '/positions/close', { all: true });
}
