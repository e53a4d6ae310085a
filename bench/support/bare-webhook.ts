// A bare node:http server that reads a webhook and answers it, in a process of its own: what the machine itself gives at
// that moment, whatever else runs on it.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

export interface BareWebhook {
  readonly port: number;
  stop(): Promise<void>;
}

export async function startBareWebhook(): Promise<BareWebhook> {
  const child = fork(fileURLToPath(import.meta.url), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [port] = (await once(child, 'message')) as [number];
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { port, stop };
}

function serve(): void {
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { symbol } = JSON.parse(Buffer.concat(chunks).toString()) as { symbol: string };
      const answer = JSON.stringify({ success: true, symbol });
      outgoing.setHeader('content-length', answer.length);
      outgoing.end(answer);
    });
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as { port: number }).port));
}

if (process.send !== undefined && process.argv[1] === fileURLToPath(import.meta.url)) serve();
