// Opens a chain: EVM networks over JSON-RPC, with Uniswap V2 and V3, their bytes encoded and decoded by viem.

import type { Chain } from '../../../wallet/chain.ts';
import { Endpoints, type EndpointsOptions } from './endpoints.ts';
import { currentFees } from './fees.ts';
import { type DexContracts, NETWORKS } from './networks.ts';
import { Quotes } from './quotes.ts';
import { receivedBy } from './received.ts';
import { askNumber } from './rpc-endpoint.ts';
import { isKnown, sendRaw } from './send.ts';
import { simulate } from './simulate.ts';
import { swapCall } from './swap-call.ts';
import { trySwap } from './swap-trial.ts';
import { approveCall, createTokens, transferCall } from './tokens.ts';
import { nonceOf, receiptOf } from './transactions.ts';
import type { EndpointState } from './watched-endpoint.ts';

export interface OpenChainOptions extends Omit<EndpointsOptions, 'chainId'> {
  /** The chain's own when left out. */
  readonly chainId?: number;
  /** In place of the chain's own, for networks that have none of them. */
  readonly contracts?: DexContracts;
}

export interface OpenedChain extends Chain {
  /** How each endpoint does, in the order of the settings, by host alone. */
  endpoints(): readonly EndpointState[];
}

export function openChain(options: OpenChainOptions): OpenedChain {
  const { name } = options;
  const network = NETWORKS[name];
  const { chainId = network.chainId, contracts = network.contracts } = options;
  const endpoints = new Endpoints({ ...options, chainId });
  const quotes = new Quotes(contracts, endpoints);
  return {
    name,
    chainId,
    verify: () => endpoints.verify(),
    endpoints: () => endpoints.states(),
    ...createTokens(name, endpoints),
    quote: (ask) => quotes.best(ask),
    swapCall,
    approveCall,
    transferCall,
    nativeBalance: (owner) =>
      endpoints.tryEach((endpoint) => askNumber(endpoint, { method: 'eth_getBalance', params: [owner, 'latest'] })),
    simulate: (from, call) => simulate(endpoints, from, call),
    trySwap: (owner, quote, deadlineS) => trySwap(endpoints, owner, quote, deadlineS),
    received: (swap) => receivedBy(endpoints, contracts.weth, swap),
    fees: () => currentFees(endpoints, network.fees),
    nonce: (owner, block) => nonceOf(endpoints, owner, block),
    send: (transaction) => sendRaw(endpoints, transaction),
    receipt: (hash) => receiptOf(endpoints, hash),
    knows: (hash) => isKnown(endpoints, hash),
  };
}
