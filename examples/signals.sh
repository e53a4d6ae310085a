#!/bin/sh
# Sends four signals with curl and shows the answers. Needs a webhook key in SIGNALBOX_WEBHOOK_KEY.
set -eu

URL="${SIGNALBOX_URL:-http://127.0.0.1:8787}"
KEY="${SIGNALBOX_WEBHOOK_KEY:?Set SIGNALBOX_WEBHOOK_KEY to a webhook key (signalbox keys create <label>).}"

# One UUID for the two sends below that must trade only once.
ONCE="$(cat /proc/sys/kernel/random/uuid 2>/dev/null || uuidgen)"

send() {
  printf '\n%s\n' "$1"
  # The body goes in through standard input, so that the key is not visible in the list of processes.
  printf '{"apiKey":"%s",%s}' "$KEY" "$2" |
    curl --silent --show-error --max-time 10 --write-out '\nHTTP %{http_code}\n' \
      --header 'Content-Type: application/json' --data-binary @- "$URL/webhook"
}

send 'Open a long at market:' \
  "\"exchange\":\"binance\",\"action\":\"LONG\",\"symbol\":\"BTCUSDT\",\"quantity\":0.01,\"leverage\":5,\"idempotencyKey\":\"$ONCE\""

send 'The same signal again (409: it does not trade twice):' \
  "\"exchange\":\"binance\",\"action\":\"LONG\",\"symbol\":\"BTCUSDT\",\"quantity\":0.01,\"leverage\":5,\"idempotencyKey\":\"$ONCE\""

send 'A limit order far below the market (it rests):' \
  '"exchange":"bybit","action":"LONG","symbol":"ETH/USDT","quantity":0.1,"price":1000'

send 'Close the long:' \
  '"exchange":"binance","action":"CLOSE_LONG","symbol":"BINANCE:BTCUSDT.P","quantity":0.01'
