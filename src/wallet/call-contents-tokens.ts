// The functions of tokens, collections and Permit2 that move or permit something, and how their arguments are read.

import {
  addressOf,
  amountOf,
  approval,
  EVERYTHING,
  listOf,
  permitted,
  type Read,
  together,
  WRAPPED_COINS,
} from './call-contents-parts.ts';

const approve: Read = ([spender, amount], to) => approval(to, spender, amountOf(amount));
const approveMore: Read = ([spender, amount], to) =>
  approval(to, spender, amountOf(amount), amount === 0n ? {} : { adds: true });
const transfer =
  (party: number, amount: number): Read =>
  (args, to) => ({
    parties: [addressOf(args[party])],
    spends: [{ token: to, amount: amountOf(args[amount]) }],
  });
const burn =
  (amount: number): Read =>
  (args, to) => ({ spends: [{ token: to, amount: amountOf(args[amount]) }] });
const receiver: Read = (args) => ({ parties: [addressOf(args[1])] });
/** Takes a permission away. */
const harmless: Read = () => ({});
/** Names that other contracts use for other things are known of the wrapped coin alone. */
const ofWrappedCoin =
  (read: Read): Read =>
  (args, to, valueWei) =>
    Object.values(WRAPPED_COINS).includes(to) ? read(args, to, valueWei) : { isKnown: false };

export const TOKEN_READERS: Readonly<Record<string, Read>> = {
  'approve(address,uint256)': approve,
  'increaseAllowance(address,uint256)': approveMore,
  'increaseApproval(address,uint256)': approveMore,
  'decreaseAllowance(address,uint256)': harmless,
  'decreaseApproval(address,uint256)': harmless,
  'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)': ([, spender, amount], to) =>
    approval(to, spender, amountOf(amount)),
  'permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)': ([, spender, , , isAllowed], to) =>
    approval(to, spender, isAllowed === 0n ? 0n : EVERYTHING),
  'setApprovalForAll(address,bool)': ([operator, isApproved], to) =>
    isApproved === 0n ? approval(to, operator, 0n) : approval(to, operator, EVERYTHING, { forAll: true }),
  'transfer(address,uint256)': transfer(0, 1),
  'transferFrom(address,address,uint256)': transfer(1, 2),
  'burn(uint256)': burn(0),
  'burnFrom(address,uint256)': burn(1),
  // Tokens that call the other side at once: ERC-1363, ERC-677 and ERC-777
  'approveAndCall(address,uint256)': approve,
  'approveAndCall(address,uint256,bytes)': approve,
  'transferAndCall(address,uint256)': transfer(0, 1),
  'transferAndCall(address,uint256,bytes)': transfer(0, 1),
  'transferFromAndCall(address,address,uint256)': transfer(1, 2),
  'transferFromAndCall(address,address,uint256,bytes)': transfer(1, 2),
  'send(address,uint256,bytes)': transfer(0, 1),
  'operatorSend(address,address,uint256,bytes,bytes)': transfer(1, 2),
  'authorizeOperator(address)': ([operator], to) => approval(to, operator, EVERYTHING),
  'burn(uint256,bytes)': burn(0),
  // The wrapped coin
  'deposit()': ofWrappedCoin(harmless),
  'withdraw(uint256)': ofWrappedCoin(burn(0)),
  // Collections
  'safeTransferFrom(address,address,uint256)': receiver,
  'safeTransferFrom(address,address,uint256,bytes)': receiver,
  'safeTransferFrom(address,address,uint256,uint256,bytes)': receiver,
  'safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)': receiver,
  // Permit2
  'approve(address,address,uint160,uint48)': ([token, spender, amount]) =>
    approval(addressOf(token), spender, amountOf(amount)),
  'permit(address,((address,uint160,uint48,uint48),address,uint256),bytes)': ([, single]) =>
    permitted(listOf(single)[0], listOf(single)[1]),
  'permit(address,((address,uint160,uint48,uint48)[],address,uint256),bytes)': ([, batch]) =>
    together(listOf(listOf(batch)[0]).map((details) => permitted(details, listOf(batch)[1]))),
  'transferFrom(address,address,uint160,address)': ([, to, amount, token]) => ({
    parties: [addressOf(to)],
    spends: [{ token: addressOf(token), amount: amountOf(amount) }],
  }),
  'transferFrom((address,address,uint160,address)[])': ([batch]) =>
    together(
      listOf(batch).map((one) => ({
        parties: [addressOf(listOf(one)[1])],
        spends: [{ token: addressOf(listOf(one)[3]), amount: amountOf(listOf(one)[2]) }],
      })),
    ),
  'lockdown((address,address)[])': harmless,
};
