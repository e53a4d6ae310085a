// A certificate for 127.0.0.1 that signs itself, made on the spot: tests of TLS need no files and no other program.

import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface SelfSigned {
  readonly certificate: string;
  readonly privateKey: string;
}

/** One value of the Distinguished Encoding Rules: a tag, a length, and what is inside. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const inside = Buffer.concat(parts);
  const { length } = inside;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Uint8Array.from([tag, ...size]), inside]);
}

const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts);
const integer = (bytes: Uint8Array) => der(0x02, bytes);
const octets = (inside: Uint8Array) => der(0x04, inside);
const oid = (...bytes: readonly number[]) => der(0x06, Uint8Array.from(bytes));
const time = (text: string) => der(0x18, Buffer.from(text, 'latin1'));
const TRUE = der(0x01, Uint8Array.of(0xff));

const ECDSA_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const NAME = sequence(der(0x31, sequence(oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from('signalbox test')))));
const LOOPBACK = der(0x87, Uint8Array.of(127, 0, 0, 1));
const EXTENSIONS = der(
  0xa3,
  sequence(
    sequence(oid(0x55, 0x1d, 0x11), octets(sequence(LOOPBACK))),
    sequence(oid(0x55, 0x1d, 0x13), TRUE, octets(sequence(TRUE))),
  ),
);

export function makeSelfSigned(): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const serial = Uint8Array.from([1, ...randomBytes(8)]);
  const body = sequence(
    der(0xa0, integer(Uint8Array.of(2))),
    integer(serial),
    ECDSA_SHA256,
    NAME,
    // Whatever the clock of the machine says.
    sequence(time('20000101000000Z'), time('21000101000000Z')),
    NAME,
    publicKey.export({ type: 'spki', format: 'der' }),
    EXTENSIONS,
  );
  const signature = der(0x03, Uint8Array.of(0), sign('sha256', body, privateKey));
  const base64 = sequence(body, ECDSA_SHA256, signature).toString('base64');
  const lines = base64.match(/.{1,64}/g) ?? [];
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    privateKey: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  };
}
