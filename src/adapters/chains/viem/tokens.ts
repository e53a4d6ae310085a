// ERC-20 tokens, the odd ones too: names in one word, no answer to a transfer, decimals from 0 to 255.

import { decodeAbiParameters, encodeFunctionData, hexToBigInt, hexToString, isHex, slice } from 'viem/utils';
import { type Address, type Call, type Hex, NotAToken, type Token, type TokenRef } from '../../../wallet/chain.ts';
import { TOKEN_ABI } from './abis.ts';
import type { Endpoints } from './endpoints.ts';
import { NodeRefusal } from './rpc-answer.ts';
import type { Question } from './rpc-endpoint.ts';

const WORD_BYTES = 32;
const MAX_SYMBOL_CHARS = 32;
const MAX_DECIMALS = 255n;
/** Names and decimals do not change; a list of this many has a few hundred kilobytes. */
const MAX_REMEMBERED = 2_000;
/** Together in one request; endpoints take at least this many. */
const MAX_TOGETHER = 50;

export const callQuestion = (to: Address, data: Hex): Question => ({
  method: 'eth_call',
  params: [{ to, data }, 'latest'],
});

export interface Tokens {
  token(address: Address): Promise<Token>;
  tokenBalances(tokens: readonly Address[], owner: Address): Promise<readonly bigint[]>;
  allowance(token: Address, owner: Address, spender: Address): Promise<bigint>;
}

export function createTokens(chainName: string, endpoints: Endpoints): Tokens {
  const remembered = new Map<Address, Token>();
  const notAToken = (address: Address): NotAToken =>
    new NotAToken(`${address} is no ERC-20 token on ${chainName}; check the address and the chain`);

  const numberOf = (address: Address, answer: unknown): bigint => {
    const word = firstWord(answer);
    if (word === undefined) throw notAToken(address);
    return hexToBigInt(word);
  };

  async function look(address: Address): Promise<Token> {
    const symbol = encodeFunctionData({ abi: TOKEN_ABI, functionName: 'symbol' });
    const decimals = encodeFunctionData({ abi: TOKEN_ABI, functionName: 'decimals' });
    const answers = await endpoints.askTogether([callQuestion(address, decimals), callQuestion(address, symbol)]);
    const count = numberOf(address, answers[0]);
    if (count > MAX_DECIMALS) throw notAToken(address);
    return { address, decimals: Number(count), symbol: symbolOf(answers[1]) ?? shortened(address) };
  }

  return {
    async token(address) {
      const known = remembered.get(address);
      if (known !== undefined) return known;
      const token = await look(address);
      const [oldest] = remembered.keys();
      if (remembered.size >= MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
      remembered.set(address, token);
      return token;
    },
    async tokenBalances(tokens, owner) {
      const data = encodeFunctionData({ abi: TOKEN_ABI, functionName: 'balanceOf', args: [owner] });
      const balances: bigint[] = [];
      for (let at = 0; at < tokens.length; at += MAX_TOGETHER) {
        const some = tokens.slice(at, at + MAX_TOGETHER);
        const answers = await endpoints.askTogether(some.map((token) => callQuestion(token, data)));
        balances.push(...some.map((token, index) => numberOf(token, answers[index])));
      }
      return balances;
    },
    async allowance(token, owner, spender) {
      const data = encodeFunctionData({ abi: TOKEN_ABI, functionName: 'allowance', args: [owner, spender] });
      const [answer] = await endpoints.askTogether([callQuestion(token, data)]);
      return numberOf(token, answer);
    },
  };
}

export function approveCall(token: Address, spender: Address, amount: bigint): Call {
  return {
    to: token,
    valueWei: 0n,
    data: encodeFunctionData({ abi: TOKEN_ABI, functionName: 'approve', args: [spender, amount] }),
  };
}

export function transferCall(token: TokenRef, to: Address, amount: bigint): Call {
  if (token === 'native') return { to, valueWei: amount, data: '0x' };
  return {
    to: token,
    valueWei: 0n,
    data: encodeFunctionData({ abi: TOKEN_ABI, functionName: 'transfer', args: [to, amount] }),
  };
}

/** A refusal, or an answer with nothing in it, is what an account without such a function gives. */
function firstWord(answer: unknown): Hex | undefined {
  if (answer instanceof NodeRefusal || !isHex(answer) || answer.length < 2 + 2 * WORD_BYTES) return undefined;
  return slice(answer, 0, WORD_BYTES);
}

/** A text, or one word filled up with zeros. */
function symbolOf(answer: unknown): string | undefined {
  const word = firstWord(answer);
  if (word === undefined) return undefined;
  let text: string;
  try {
    [text] = decodeAbiParameters([{ type: 'string' }], answer as Hex);
  } catch {
    text = hexToString(word, { size: WORD_BYTES });
  }
  // Anybody can name a token: nothing that hides, breaks lines or turns the text around.
  const clean = [...text.replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, '').trim()].slice(0, MAX_SYMBOL_CHARS).join('');
  return clean === '' ? undefined : clean;
}

const shortened = (address: Address): string => `${address.slice(0, 6)}…${address.slice(-4)}`;
