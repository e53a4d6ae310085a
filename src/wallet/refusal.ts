// The one error of the wallet: what is refused, of which kind, in words with the remedy. Nothing was sent but what it names.

import type { Entry } from './ledger.ts';

export type RefusalKind =
  /** The request itself makes no sense. */
  | 'invalid'
  | 'no-signer'
  | 'no-chain'
  | 'killed'
  /** The owner's own rules: value, allowlist, daily limit, unlimited approvals. */
  | 'policy'
  | 'would-revert'
  /** The network did not take it. */
  | 'refused'
  /** No pool, or the price moved past the bound. */
  | 'no-swap'
  | 'approval-pending'
  | 'duplicate'
  | 'busy'
  | 'not-found'
  /** Something of ours broke after the approval of a swap was sent; the cause has it. */
  | 'fault';

export class WalletRefusal extends Error {
  override readonly name = 'WalletRefusal';
  readonly kind: RefusalKind;
  /** Of a duplicate: what was done the first time. Of a swap: the approval that was sent for it. */
  readonly entry: Entry | undefined;

  constructor(kind: RefusalKind, message: string, options: { entry?: Entry; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.entry = options.entry;
  }
}
