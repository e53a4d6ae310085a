#!/bin/sh
# Runs a script, makes an API key and draws a chart with curl. Needs the server's ADMIN_TOKEN in SIGNALBOX_ADMIN_TOKEN.
set -eu

URL="${SIGNALBOX_URL:-http://127.0.0.1:8787}"
TOKEN="${SIGNALBOX_ADMIN_TOKEN:?Set SIGNALBOX_ADMIN_TOKEN to the ADMIN_TOKEN of the server.}"

SCRIPT='//@version=6\nindicator(\"Mean\", overlay = true)\nplot(ta.sma(close, 2), \"SMA\", color.orange, 2)'
BARS='{"time":1700000000,"open":100,"high":102,"low":99,"close":101},{"time":1700000060,"open":101,"high":103,"low":100,"close":102},{"time":1700000120,"open":102,"high":104,"low":101,"close":101.5},{"time":1700000180,"open":101.5,"high":102,"low":98,"close":99}'

post() {
  # The header and the body go in through files and standard input, so that no secret is visible in the list of processes.
  curl --silent --show-error --fail-with-body --max-time 20 --header "@$1" --data-binary @- "$URL$2"
}

FOLDER="$(mktemp -d)"
trap 'rm -rf "$FOLDER"' EXIT
: > "$FOLDER/none"
printf 'X-Admin-Token: %s\n' "$TOKEN" > "$FOLDER/admin"

printf 'Run a script (no key needed):\n'
printf '{"script":"%s","data":[%s]}' "$SCRIPT" "$BARS" | post "$FOLDER/none" /run
printf '\n\nMake a key:\n'
ANSWER="$(printf '{"tier":"hobby"}' | post "$FOLDER/admin" /auth/create_key)"
KEY="$(printf '%s' "$ANSWER" | sed 's/.*"api_key":"\([^"]*\)".*/\1/')"
printf 'Authorization: Bearer %s\n' "$KEY" > "$FOLDER/key"
printf '%s\n' "$ANSWER" | sed 's/"api_key":"pyn_[^"]*"/"api_key":"pyn_…"/'
printf '\nDraw a chart:\n'
printf '{"script":"%s","data":[%s],"options":{"theme":"light"}}' "$SCRIPT" "$BARS" | post "$FOLDER/key" /preview/chart > "$FOLDER/chart.json"
sed 's/.*"chart":"\([^"]*\)".*/\1/' "$FOLDER/chart.json" | base64 -d > chart.png
printf 'chart.png, %s bytes\n' "$(wc -c < chart.png | tr -d ' ')"
printf '\nAsk for the usage:\n'
curl --silent --show-error --max-time 20 --header "@$FOLDER/key" "$URL/auth/usage"
printf '\n'
