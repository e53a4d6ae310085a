// The owner's rules, asked before every signature: kill switch, maximum value, caps, allowlist, nothing left in a router, no unlimited approvals.

import { KNOWN_ROUTERS, readCall } from './call-contents.ts';
import { WRAPPED_COINS } from './call-contents-parts.ts';
import type { Address, Call, ChainName, TokenRef } from './chain.ts';
import type { EntryDetails, Operation } from './ledger.ts';
import { WalletRefusal } from './refusal.ts';

export interface PolicyRules {
  /** Native value of one transaction; undefined means no maximum. */
  readonly maxValueWei: bigint | undefined;
  /** Native value per chain and UTC day, counted when it is reserved; undefined means no limit. */
  readonly dailyLimitWei: bigint | undefined;
  /** Every address a transaction may name, besides the wallet's own; empty means any. */
  readonly allowedContracts: ReadonlySet<Address>;
  /** The most of a token that one transaction may spend or approve, by `capKey`; of a chain's coin it replaces `maxValueWei`. */
  readonly caps: ReadonlyMap<string, bigint>;
  /** How far a swap may move the price against itself; undefined means any distance. */
  readonly maxPriceImpactBps: number | undefined;
}

export const capKey = (chain: ChainName, token: TokenRef): string => `${chain}:${token}`;

/** Whose transaction it is, and where. */
export interface Account {
  readonly chain: ChainName;
  readonly address: Address;
}

export interface KillState {
  readonly active: boolean;
  readonly scope: 'all' | 'entries';
  readonly reason?: string;
}

/** What wants to be signed. */
export interface Intent {
  readonly operation: Operation;
  readonly call: Call;
  readonly details: EntryDetails;
}

/** Above this an approval is without limit even where the balance of the token cannot be asked for. */
export const UNLIMITED_FROM = 2n ** 128n;

/** An approval of nothing takes a permission away: it makes the wallet safer. */
const isRevocation = ({ call }: Intent): boolean => {
  const { approvals, spends, isOpaque } = readCall(call);
  const isTakenAway = approvals.length > 0 && approvals.every(({ amount }) => amount === 0n);
  return call.valueWei === 0n && isTakenAway && spends.length === 0 && !isOpaque;
};

/** Scope `entries` lets revocations through, `all` nothing. */
export function checkKillSwitch(intent: Intent, kill: KillState): void {
  if (!kill.active || (kill.scope === 'entries' && isRevocation(intent))) return;
  const why = kill.reason === undefined ? '' : ` (${kill.reason})`;
  throw new WalletRefusal(
    'killed',
    `the kill switch is on${why}; nothing is signed until it is off (signalbox kill-switch off, with --of for that of an account)`,
  );
}

export function checkPolicy(intent: Intent, rules: PolicyRules, account: Account): void {
  checkValue(intent.call, rules, account);
  checkCaps(intent, rules, account);
  checkAddresses(intent, rules, account);
  checkLeftBehind(intent, account);
  checkApprovals(intent.call, rules);
}

function checkValue({ valueWei }: Call, { maxValueWei, dailyLimitWei, caps }: PolicyRules, { chain }: Account): void {
  const cap = caps.get(capKey(chain, 'native'));
  if (cap !== undefined && valueWei > cap) throw overCap(chain, 'native', valueWei, cap);
  if (cap === undefined && maxValueWei !== undefined && valueWei > maxValueWei)
    throw policy(
      `the value of ${valueWei} wei is above the maximum of ${maxValueWei} wei; send less, or raise WALLET_MAX_VALUE_WEI`,
    );
  if (dailyLimitWei !== undefined && valueWei > dailyLimitWei) throw overDailyLimit(0n, dailyLimitWei);
}

/** Of each token all steps of the transaction count together. */
function checkCaps({ call, details }: Intent, rules: PolicyRules, { chain }: Account): void {
  const { spends, approvals } = readCall(call);
  const sums = new Map<TokenRef, bigint>();
  for (const { token, amount } of [...spends, ...approvals]) sums.set(token, (sums.get(token) ?? 0n) + amount);
  const asked: [TokenRef, bigint][] = details.token === undefined ? [] : [[details.token, BigInt(details.amount ?? 0)]];
  for (const [token, amount] of [...asked, ...sums]) {
    const cap = rules.caps.get(capKey(chain, token));
    if (cap !== undefined && amount > cap) throw overCap(chain, token, amount, cap);
  }
  checkCountable(call, rules, chain);
}

/** What cannot be read could spend any token; the chain's coin alone is always counted. */
function checkCountable(call: Call, { caps, allowedContracts }: PolicyRules, chain: ChainName): void {
  const hasTokenCap = [...caps.keys()].some((key) => key.startsWith(`${chain}:0x`));
  if (!hasTokenCap) return;
  const { isOpaque, isKnown } = readCall(call);
  if (isOpaque)
    throw policy(
      'this call hides how much it spends, so WALLET_CAPS cannot be kept; use the token form, or the router’s own swap functions',
    );
  if (!isKnown && caps.has(capKey(chain, call.to)))
    throw policy(
      `this function of ${call.to} is not known, so its cap in WALLET_CAPS cannot be kept; use transfer or approve, or take the cap away`,
    );
  if (!isKnown && !allowedContracts.has(call.to))
    throw policy(
      `this function of ${call.to} is not known, so WALLET_CAPS cannot be kept; if you trust the contract, name it in WALLET_ALLOWED_CONTRACTS`,
    );
}

/** The contract called, tokens, router, spender and recipient: also those inside the data of a raw call. */
export function addressesOf({ call, details }: Intent): readonly Address[] {
  const { parties, tokens, approvals, spends } = readCall(call);
  const named = [
    ...[call.to, details.token, details.tokenOut, details.spender, details.recipient],
    ...[...parties, ...tokens, ...[...approvals, ...spends].map(({ token }) => token)],
  ];
  return [...new Set(named.filter((address): address is Address => address !== undefined && address !== 'native'))];
}

function checkAddresses(intent: Intent, { allowedContracts }: PolicyRules, { address: own }: Account): void {
  if (allowedContracts.size === 0) return;
  const strangers = addressesOf(intent).filter((address) => address !== own && !allowedContracts.has(address));
  if (strangers.length > 0)
    throw policy(
      `${strangers.join(', ')} ${strangers.length > 1 ? 'are' : 'is'} not in WALLET_ALLOWED_CONTRACTS; add what you trust and restart`,
    );
  if (readCall(intent.call).isOpaque)
    throw policy(
      'this call hides who receives, so WALLET_ALLOWED_CONTRACTS cannot be kept; use the token form, or the router’s own swap functions',
    );
}

/** What a router holds when a transaction ends, anybody may take: nothing of ours may be among it. */
function checkLeftBehind({ call, details }: Intent, { chain }: Account): void {
  const { parties, approvals, tokens, routerBalances } = readCall(call);
  const spenders = approvals.map(({ spender }) => spender);
  const receivers = call.data === '0x' ? [call.to] : parties.filter((party) => !spenders.includes(party));
  const router = receivers.find((party) => KNOWN_ROUTERS.has(party));
  if (router !== undefined)
    throw policy(`${router} is a router: anybody may take what it receives; name another recipient`);
  // A swap of our own into the coin ends with the wrapped coin that its chain was opened with.
  const wrapped = details.tokenOut === 'native' ? tokens.at(-1) : WRAPPED_COINS[chain];
  const left = new Set<TokenRef>();
  for (const { token, stays } of routerBalances) {
    const held = token === 'wrapped' ? (wrapped ?? WRAPPED_COINS[chain]) : token;
    if (stays) left.add(held);
    else left.delete(held);
  }
  if (call.valueWei === 0n) left.delete('native');
  if (left.size > 0)
    throw policy(
      `${[...left].join(', ')} would stay in the router, where anybody may take it; name a recipient, or end the multicall with ${left.has('native') ? 'refundETH()' : 'sweepToken (unwrapWETH9 for the wrapped coin)'}, in the Universal Router with SWEEP`,
    );
}

function checkApprovals(call: Call, { allowedContracts }: PolicyRules): void {
  for (const { amount, forAll } of readCall(call).approvals) {
    // There is no smaller permission for a collection: whoever gets it must be named by the owner.
    if (forAll && allowedContracts.size === 0)
      throw policy(
        'setApprovalForAll gives a whole collection away for good; it is only signed for an operator in WALLET_ALLOWED_CONTRACTS',
      );
    if (!forAll && amount >= UNLIMITED_FROM) throw withoutLimit();
  }
}

export const withoutLimit = (held?: bigint): WalletRefusal =>
  policy(
    `approvals without limit are refused: who is approved could empty the account later; approve the amount you need${
      held === undefined ? '' : `, at most the ${held} the account holds now`
    }`,
  );

const overCap = (chain: ChainName, token: TokenRef, amount: bigint, cap: bigint): WalletRefusal =>
  policy(`${amount} of ${token} on ${chain} is above its cap of ${cap}; ask for less, or raise it in WALLET_CAPS`);

export function overDailyLimit(spentWei: bigint, limitWei: bigint): WalletRefusal {
  return policy(
    `the daily limit of ${limitWei} wei would be exceeded (${spentWei} wei are used today, UTC); wait for tomorrow, or raise WALLET_DAILY_LIMIT_WEI`,
  );
}

const policy = (message: string): WalletRefusal => new WalletRefusal('policy', message);
