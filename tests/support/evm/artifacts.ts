// The compiled Uniswap contracts the tests deploy, read from their packages when asked for.

import { readFileSync } from 'node:fs';
import type { Abi } from 'viem';
import type { Hex } from '../../../src/wallet/chain.ts';

const FILES = {
  WETH9: 'v2-periphery/build/WETH9.json',
  UniswapV2Factory: 'v2-core/build/UniswapV2Factory.json',
  UniswapV2Router02: 'v2-periphery/build/UniswapV2Router02.json',
  UniswapV3Factory: 'v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json',
  SwapRouter: 'v3-periphery/artifacts/contracts/SwapRouter.sol/SwapRouter.json',
  QuoterV2: 'v3-periphery/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json',
  NonfungiblePositionManager:
    'v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json',
} as const;

export interface Artifact {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

export function artifact(name: keyof typeof FILES): Artifact {
  const path = new URL(`../../../node_modules/@uniswap/${FILES[name]}`, import.meta.url);
  const { abi, bytecode } = JSON.parse(readFileSync(path, 'utf8')) as { abi: Abi; bytecode: string };
  // The older packages write it without its beginning.
  return { abi, bytecode: `0x${bytecode.replace(/^0x/, '')}` };
}
