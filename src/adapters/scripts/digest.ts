// Digests of texts. Loading the cryptography of Node takes as long as compiling a script: it waits until it is needed.

import type { Hash } from 'node:crypto';

export const sha256 = (): Hash => process.getBuiltinModule('node:crypto').createHash('sha256');
