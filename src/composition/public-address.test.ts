// Whether a charting platform can reach us: each trap on a loopback server of its own.

import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { makeSelfSigned } from '../../tests/support/self-signed.ts';
import { checkPublicAddress } from './public-address.ts';

const open: { close(): unknown }[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

const signalbox: RequestListener = (request, response) => {
  const isHealth = request.url === '/health';
  response.writeHead(isHealth ? 200 : 400).end(isHealth ? '{"status":"healthy"}' : '{"code":"INVALID_PAYLOAD"}');
};

async function serve(listener: RequestListener, tls?: { key: string; cert: string }): Promise<number> {
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** `fail the certificate …` for each. */
const told = async (...of: Parameters<typeof checkPublicAddress>): Promise<string> =>
  (await checkPublicAddress(...of)).map(({ ok, detail, remedy }) => `${ok} ${detail} | ${remedy ?? ''}`).join('\n');

test('a good address with a believed certificate passes every check that loopback can pass', async () => {
  const { certificate, privateKey } = makeSelfSigned();
  const port = await serve(signalbox, { key: privateKey, cert: certificate });
  const words = await told(`https://127.0.0.1:${port}`, { ports: [port], ca: certificate });
  expect(words).not.toContain('fail');
  expect(words).toMatch(/ok the certificate is good for \d+ more days/);
  expect(words).toContain('ok Signalbox answers there');
  expect(words).toContain('ok a POST to /webhook arrives');
  expect(words).toContain('warn 127.0.0.1 is 127.0.0.1: an address inside a network');
});

test('a certificate that nobody believes, and one that ends soon', async () => {
  const { certificate, privateKey } = makeSelfSigned();
  const port = await serve(signalbox, { key: privateKey, cert: certificate });
  const at = `https://127.0.0.1:${port}`;
  expect(await told(at, { ports: [port] })).toMatch(/fail the certificate is not believed: .*TradingView refuses it/);
  const [day] = /good for (\d+) more/.exec(await told(at, { ports: [port], ca: certificate }))?.slice(1) ?? [];
  const nearEnd = () => Date.now() + (Number(day) - 3) * 86_400_000;
  expect(await told(at, { ports: [port], ca: certificate, nowMs: nearEnd })).toMatch(
    /warn the certificate is good for [23] more/,
  );
});

test('another port, no address, a port where nobody listens, and no web address at all', async () => {
  const port = await serve(signalbox);
  expect(await told(`http://127.0.0.1:${port}`)).toContain(`fail TradingView calls ports 80 and 443 only, not ${port}`);
  expect(await told(`http://127.0.0.1:${port}`)).toContain('warn http: keys travel readable');
  expect(await told('https://no-such-name.invalid')).toMatch(/fail no-such-name.invalid has no address .*A record/);
  expect(await told('https://127.0.0.1:1', { ports: [1] })).toContain('fail no TLS at 127.0.0.1:1');
  expect(await told('http://127.0.0.1:1', { ports: [1] })).toContain('fail GET /health got no answer');
  expect(await told('trade.example.com')).toContain('is no web address');
});

test('IPv6 only', async () => {
  expect(await told('http://[::1]:80')).toMatch(/fail ::1 has IPv6 addresses only .*add an A record/);
});

test('a redirect, and somebody else who answers', async () => {
  const port = await serve((_, response) => void response.writeHead(301, { location: 'https://elsewhere/' }).end());
  expect(await told(`http://127.0.0.1:${port}`, { ports: [port] })).toMatch(
    /fail POST \/webhook is sent on to https:\/\/elsewhere\/ \(301\) \| TradingView follows no redirect/,
  );
  const other = await serve((_, response) => void response.writeHead(200).end('<h1>Log in</h1>'));
  const words = await told(`http://127.0.0.1:${other}`, { ports: [other] });
  expect(words).toContain('fail GET /health is answered 200 by something else');
  expect(words).toContain('fail POST /webhook is answered 200 by something else');
});
