// Sets something over the interface of a process that may be gone: whether it was answered that it is done.

const PATIENCE_MS = 10_000;

export async function put(url: string, value: object, headers: Record<string, string> = {}): Promise<boolean> {
  const request = { method: 'PUT', headers, body: JSON.stringify(value), signal: AbortSignal.timeout(PATIENCE_MS) };
  const answer = await fetch(url, request).catch(() => undefined);
  return answer?.ok ?? false;
}
