// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// Put at the wallet's own address for the length of one eth_call: approves, swaps, and tells what really moved.
contract SwapTrial {
    struct Order {
        address tokenIn; // zero: the chain's own coin
        address tokenOut; // zero: the chain's own coin
        address router;
        uint256 amountIn;
        uint256 value;
        bytes data;
    }

    /// The router hands out coins.
    receive() external payable {}

    function run(Order calldata order) external returns (bool ok, uint256 spent, uint256 received, bytes memory reason) {
        if (order.tokenIn != address(0)) {
            // A token that refuses to change what is approved may have enough approved; the swap itself will tell.
            (ok, ) = order.tokenIn.call(
                abi.encodeWithSignature("approve(address,uint256)", order.router, order.amountIn)
            );
        }
        uint256 inBefore = balance(order.tokenIn);
        uint256 outBefore = balance(order.tokenOut);
        (ok, reason) = order.router.call{value: order.value}(order.data);
        uint256 inAfter = balance(order.tokenIn);
        uint256 outAfter = balance(order.tokenOut);
        spent = inBefore > inAfter ? inBefore - inAfter : 0;
        received = outAfter > outBefore ? outAfter - outBefore : 0;
    }

    function balance(address token) private view returns (uint256) {
        if (token == address(0)) return address(this).balance;
        (bool answered, bytes memory answer) = token.staticcall(
            abi.encodeWithSignature("balanceOf(address)", address(this))
        );
        return answered && answer.length >= 32 ? abi.decode(answer, (uint256)) : 0;
    }
}
