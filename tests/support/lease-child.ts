// Claims a lease in a process of its own, which may be killed or held up, and tells its parent what it knows of it.

import { openLeases } from '../../src/adapters/storage/postgres/leases.ts';

export interface LeaseNews {
  readonly token?: number;
  readonly ended?: string;
  readonly remainingMs: number;
}

const [url = '', name = ''] = process.argv.slice(2);
const tell = (news: LeaseNews): void => void process.send?.(news);

const leases = await openLeases({ url, onTrouble: () => {} });
const lease = await leases.claim(name, { address: `pid ${process.pid}`, stop: new AbortController().signal });
if (lease === undefined) throw new Error('the claim was given up');
tell({ token: lease.token, remainingMs: lease.remainingMs() });
process.on('message', () => tell({ remainingMs: lease.remainingMs() }));
tell({ ended: await lease.ended, remainingMs: lease.remainingMs() });
