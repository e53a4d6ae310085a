// The owner's rules, asked before every signature: kill switch, maximum value, allowlist, no unlimited approvals.

import { readTokenCall } from './calldata.ts';
import type { Address, Call } from './chain.ts';
import type { EntryDetails, Operation } from './ledger.ts';
import { WalletRefusal } from './refusal.ts';

export interface PolicyRules {
  /** Native value of one transaction; undefined means no maximum. */
  readonly maxValueWei: bigint | undefined;
  /** Native value per chain and UTC day, counted when it is reserved; undefined means no limit. */
  readonly dailyLimitWei: bigint | undefined;
  /** Every address a transaction may name; empty means any. */
  readonly allowedContracts: ReadonlySet<Address>;
}

export interface KillState {
  readonly active: boolean;
  readonly scope: 'all' | 'entries';
}

/** What wants to be signed. */
export interface Intent {
  readonly operation: Operation;
  readonly call: Call;
  readonly details: EntryDetails;
}

/** No token has so many units; approving more than this means "without limit", whatever was meant. */
export const UNLIMITED_FROM = 2n ** 128n;

/** An approval of nothing takes a permission away: it makes the wallet safer. */
const isRevocation = ({ call }: Intent): boolean => {
  const inside = readTokenCall(call.data);
  return call.valueWei === 0n && inside?.kind === 'approve' && inside.amount === 0n;
};

/** Scope `entries` lets revocations through, `all` nothing. */
export function checkKillSwitch(intent: Intent, kill: KillState): void {
  if (!kill.active || (kill.scope === 'entries' && isRevocation(intent))) return;
  throw new WalletRefusal(
    'killed',
    'the kill switch is on; nothing is signed until it is off (signalbox kill-switch off)',
  );
}

export function checkPolicy(intent: Intent, rules: PolicyRules): void {
  checkValue(intent.call, rules);
  checkAddresses(intent, rules);
  checkApproval(intent.call);
}

function checkValue({ valueWei }: Call, { maxValueWei, dailyLimitWei }: PolicyRules): void {
  if (maxValueWei !== undefined && valueWei > maxValueWei)
    throw policy(
      `the value of ${valueWei} wei is above the maximum of ${maxValueWei} wei; send less, or raise WALLET_MAX_VALUE_WEI`,
    );
  if (dailyLimitWei !== undefined && valueWei > dailyLimitWei) throw overDailyLimit(0n, dailyLimitWei);
}

/** The contract called, tokens, router, spender and recipient: also those inside the data of a raw token call. */
export function addressesOf({ call, details }: Intent): readonly Address[] {
  const named = [
    call.to,
    details.token,
    details.tokenOut,
    details.spender,
    details.recipient,
    readTokenCall(call.data)?.party,
  ];
  return [...new Set(named.filter((address): address is Address => address !== undefined && address !== 'native'))];
}

function checkAddresses(intent: Intent, { allowedContracts }: PolicyRules): void {
  if (allowedContracts.size === 0) return;
  const strangers = addressesOf(intent).filter((address) => !allowedContracts.has(address));
  if (strangers.length > 0)
    throw policy(
      `${strangers.join(', ')} ${strangers.length > 1 ? 'are' : 'is'} not in WALLET_ALLOWED_CONTRACTS; add what you trust and restart`,
    );
}

function checkApproval({ data }: Call): void {
  const inside = readTokenCall(data);
  if (inside?.kind === 'approve' && inside.amount >= UNLIMITED_FROM)
    throw policy(
      'approvals without limit are refused: who is approved could empty the account later; approve the amount you need',
    );
}

export function overDailyLimit(spentWei: bigint, limitWei: bigint): WalletRefusal {
  return policy(
    `the daily limit of ${limitWei} wei would be exceeded (${spentWei} wei are used today, UTC); wait for tomorrow, or raise WALLET_DAILY_LIMIT_WEI`,
  );
}

const policy = (message: string): WalletRefusal => new WalletRefusal('policy', message);
