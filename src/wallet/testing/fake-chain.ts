// A chain in memory that does what real ones do to a wallet: late blocks, lost answers, reorganisations, forgetful nodes.

import { checksumAddress } from '../address.ts';
import {
  type Address,
  type Call,
  type Chain,
  ChainUnreachable,
  type Fees,
  type Hex,
  type Receipt,
  type SendOutcome,
  type SignedTransaction,
  type Signer,
  type UnsignedTransaction,
} from '../chain.ts';
import { keccak256 } from '../keccak.ts';

export const WALLET = checksumAddress(`0x${'11'.repeat(20)}`);
export const FRIEND = checksumAddress(`0x${'22'.repeat(20)}`);
export const TOKEN = checksumAddress(`0x${'33'.repeat(20)}`);
export const ROUTER = checksumAddress(`0x${'44'.repeat(20)}`);
export const GWEI = 1_000_000_000n;

const word = (value: bigint | Address): string => BigInt(value).toString(16).padStart(64, '0');
const withBigints = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}n` : value);
const hashOf = (raw: Hex): Hex => `0x${Buffer.from(keccak256(Buffer.from(raw.slice(2), 'hex'))).toString('hex')}`;

/** Signs by writing the transaction down: the same transaction gives the same bytes. */
export const fakeSigner: Signer = {
  address: WALLET,
  async sign(transaction) {
    const raw: Hex = `0x${Buffer.from(JSON.stringify(transaction, withBigints)).toString('hex')}`;
    return { raw, hash: hashOf(raw) };
  },
};

interface Known extends UnsignedTransaction {
  readonly hash: Hex;
}

export function createFakeChain() {
  let mempool: Known[] = [];
  let blocks: { readonly hash: Hex; readonly transactions: readonly Known[] }[] = [];
  let madeBlocks = 0;
  const world = {
    /** Nothing arrives; what is sent is lost, or arrives and its answer is lost. */
    down: undefined as 'before' | 'after' | undefined,
    /** The same for what is sent alone: everything else is answered. */
    losing: undefined as 'before' | 'after' | undefined,
    fees: { maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: GWEI } as Fees,
    /** What a call would fail with. */
    revert: undefined as string | undefined,
    refuse: undefined as string | undefined,
    allowance: 0n,
    /** Of every token, in the wallet's own account. */
    balance: 10n ** 30n,
    price: 2n,
    priceImpactBps: 0,
    /** What a token keeps of every transfer. */
    taxBps: 0n,
    /** What a mined swap brought. */
    received: undefined as bigint | undefined,
    /** Every byte string that was ever sent. */
    sent: [] as Hex[],
    /** Blocks take only what pays this. */
    floorFee: 0n,
    wrongChain: false,
  };

  const mined = (): readonly Known[] => blocks.flatMap(({ transactions }) => transactions);
  const latest = (): number => mined().length;
  const reach = (): void => {
    if (world.down !== undefined) throw new ChainUnreachable('ethereum: no endpoint answered');
  };
  const find = (hash: Hex): boolean => [...mempool, ...mined()].some((known) => known.hash === hash);

  function take(raw: Hex): SendOutcome {
    world.sent.push(raw);
    const text = Buffer.from(raw.slice(2), 'hex').toString();
    const transaction = JSON.parse(text, (_, value) =>
      typeof value === 'string' && /^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
    ) as UnsignedTransaction;
    const hash = hashOf(raw);
    if (find(hash)) return { kind: 'known' };
    if (world.refuse !== undefined) return { kind: 'refused', reason: world.refuse };
    if (transaction.nonce < latest()) return { kind: 'stale-nonce' };
    const rival = mempool.find(({ nonce }) => nonce === transaction.nonce);
    if (rival && transaction.maxFeePerGas * 10n < rival.maxFeePerGas * 11n)
      return { kind: 'underpriced', reason: 'replacement transaction underpriced' };
    mempool = [...mempool.filter((known) => known !== rival), { ...transaction, hash }];
    return { kind: 'accepted' };
  }

  const chain: Chain = {
    name: 'ethereum',
    chainId: 1,
    async verify() {
      reach();
      if (world.wrongChain) throw new Error('the endpoint rpc.example.com is of chain 5, not 1');
    },
    async nativeBalance() {
      reach();
      return 10n ** 18n;
    },
    async token(address) {
      reach();
      return { address, symbol: 'TKN', decimals: 6 };
    },
    async tokenBalances(tokens, owner) {
      reach();
      return tokens.map((_, index) => (owner === WALLET ? world.balance : BigInt(index + 1)));
    },
    async allowance() {
      reach();
      return world.allowance;
    },
    async quote(ask) {
      reach();
      const amountOut = ask.amountIn * world.price;
      return amountOut === 0n
        ? undefined
        : {
            ...{ ...ask, amountOut, router: ROUTER, protocol: 'uniswap-v2', path: [TOKEN], feesPath: [] },
            priceImpactBps: world.priceImpactBps,
          };
    },
    async trySwap(_, quote) {
      reach();
      const received = (quote.amountOut * (10_000n - world.taxBps)) / 10_000n;
      return world.revert === undefined
        ? { ok: true, spent: quote.amountIn, received }
        : { ok: false, reason: world.revert };
    },
    async received() {
      reach();
      return world.received;
    },
    swapCall: (quote, { minAmountOut, deadlineS }) => ({
      to: ROUTER,
      valueWei: quote.tokenIn === 'native' ? quote.amountIn : 0n,
      data: `0x5ea1ab1e${word(quote.amountIn)}${word(minAmountOut)}${word(BigInt(deadlineS))}`,
    }),
    approveCall: (token, spender, amount) => ({
      to: token,
      valueWei: 0n,
      data: `0x095ea7b3${word(spender)}${word(amount)}`,
    }),
    transferCall: (token, to, amount) =>
      token === 'native'
        ? { to, valueWei: amount, data: '0x' }
        : { to: token, valueWei: 0n, data: `0xa9059cbb${word(to)}${word(amount)}` },
    async simulate() {
      reach();
      return world.revert === undefined ? { ok: true, gas: 50_000n } : { ok: false, reason: world.revert };
    },
    async fees() {
      reach();
      return world.fees;
    },
    async nonce(_, block) {
      reach();
      let next = latest();
      while (block === 'pending' && mempool.some(({ nonce }) => nonce === next)) next++;
      return next;
    },
    async send({ raw }: SignedTransaction) {
      if (world.down === 'after' || world.losing === 'after') take(raw);
      reach();
      if (world.losing !== undefined) throw new ChainUnreachable('ethereum: the answer was lost');
      return take(raw);
    },
    async receipt(hash): Promise<Receipt | undefined> {
      reach();
      const height = blocks.findIndex(({ transactions }) => transactions.some((known) => known.hash === hash));
      if (height < 0) return undefined;
      return {
        status: minedCall(hash).data === '0xdead' ? 'reverted' : 'success',
        blockNumber: BigInt(height),
        blockHash: (blocks[height] as { hash: Hex }).hash,
        gasUsed: 50_000n,
        effectiveGasPrice: GWEI,
        confirmations: blocks.length - height,
      };
    },
    async knows(hash) {
      reach();
      return find(hash);
    },
  };

  const minedCall = (hash: Hex): Call => mined().find((known) => known.hash === hash) as Known;

  return {
    chain,
    world,
    mined,
    mempool: () => mempool,
    height: () => blocks.length,
    /** One block with everything that is next in line. */
    mine(count = 1): void {
      for (let made = 0; made < count; made++) {
        const taken: Known[] = [];
        let next = latest();
        for (;;) {
          const known = mempool.find(({ nonce }) => nonce === next);
          if (known === undefined || known.maxFeePerGas < world.floorFee) break;
          taken.push(known);
          next++;
          if (readApproval(known) !== undefined) world.allowance = readApproval(known) as bigint;
        }
        blocks.push({ hash: `0x${(++madeBlocks).toString(16).padStart(64, '0')}`, transactions: taken });
        mempool = mempool.filter(({ nonce }) => nonce >= next);
      }
    },
    /** The last blocks go away; their transactions wait again, or are forgotten. */
    reorganise(depth: number, keep: boolean): void {
      const gone = blocks.slice(Math.max(0, blocks.length - depth)).flatMap(({ transactions }) => transactions);
      blocks = blocks.slice(0, Math.max(0, blocks.length - depth));
      const waiting = mempool.filter(({ nonce }) => gone.every((known) => known.nonce !== nonce));
      mempool = keep ? [...gone, ...waiting] : waiting;
    },
    /** What nodes do when they are full or restarted. */
    forget(): void {
      mempool = [];
    },
    /** Another program with the same key takes the next nonce, and a block with it. */
    foreign(): void {
      const nonce = latest();
      mempool = mempool.filter((known) => known.nonce !== nonce);
      const call = { to: FRIEND, valueWei: 0n, data: '0xf0' as Hex };
      const hash: Hex = `0x${'f'.repeat(60)}${nonce.toString(16).padStart(4, '0')}`;
      const known: Known = { ...call, ...world.fees, chainId: 1, nonce, gasLimit: 21_000n, hash };
      blocks.push({ hash: `0x${(++madeBlocks).toString(16).padStart(64, '0')}`, transactions: [known] });
    },
  };
}

const readApproval = ({ data }: Call): bigint | undefined =>
  data.startsWith('0x095ea7b3') ? BigInt(`0x${data.slice(74)}`) : undefined;
