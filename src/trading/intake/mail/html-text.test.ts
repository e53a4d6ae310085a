// HTML as mail programs write it, turned into what their reader sees.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { htmlToText, looksLikeHtml } from './html-text.ts';

const COMMAND = 'LONG 0.01 BTCUSDT on binance';

describe('what a reader sees', () => {
  test.each([
    [`<p>${COMMAND}</p>`, COMMAND],
    [`<html><head><title>x</title><style>p{a:b}</style></head><body><div>${COMMAND}</div></body></html>`, COMMAND],
    ['LONG <b>0.01</b> <span style="overflow:hidden">BTC</span>USDT on&nbsp;binance', 'LONG 0.01 BTCUSDT on binance'],
    ['a<br>b<BR/>c<br />d', 'a\nb\nc\nd'],
    ['<div>exchange: binance</div><div>action: LONG</div>', 'exchange: binance\n\naction: LONG'],
    [
      '<table><tr><td>symbol:</td><td>BTCUSDT</td></tr><tr><td>quantity:</td><td>1</td></tr></table>',
      'symbol: BTCUSDT\n\nquantity: 1',
    ],
    ['{&quot;action&quot;:&#34;LONG&#x22;}', '{"action":"LONG"}'],
    ['<pre>a\n  b</pre>', 'a\nb'],
    ['1 < 2 & 3 > 2 &unknown; &#0; &#xD800;', '1 < 2 & 3 > 2 &unknown; � �'],
    ['<a href="x>y">link</a>', 'link'],
    ["<a title='a > b'>link</a>", 'link'],
    ['no tags at all', 'no tags at all'],
    ['quantity&colon;&Tab;1&NewLine;symbol&#58 BTCUSDT', 'quantity: 1 symbol: BTCUSDT'],
    ['a &nbsp; &nbsp; b', 'a b'],
    [`<p hidden>a<p>${COMMAND}`, COMMAND],
    [`<form><div>a</div><form><div>b</div></form>`, 'a\n\nb'],
    ['a<hr>b', 'a\nb'],
    ['', ''],
  ])('%s', (html, text) => {
    expect(htmlToText(html)).toBe(text);
  });
});

test('a link of many characters is a link', () => {
  expect(htmlToText(`<a href="https://example.com/${'x'.repeat(4000)}">link</a>`)).toBe('link');
});

describe('what a reader does not see, or somebody else wrote', () => {
  test.each([
    `<!-- ${COMMAND} -->`,
    `<!-- ${COMMAND}`,
    `<script>${COMMAND}</script>`,
    `<style>${COMMAND}</style>`,
    `<script>"<p>${COMMAND}</p>"</script>`,
    `<title>${COMMAND}</title>`,
    `<div style="display:none">${COMMAND}</div>`,
    `<div style="color:red; display : NONE ;">${COMMAND}</div>`,
    `<span style="visibility:hidden">${COMMAND}</span>`,
    `<span style="font-size:0px">${COMMAND}</span>`,
    `<p hidden>${COMMAND}</p>`,
    `<blockquote type="cite">${COMMAND}</blockquote>`,
    `<blockquote><blockquote>x</blockquote>${COMMAND}</blockquote>`,
    `<blockquote>${COMMAND}`,
    `<div class="gmail_quote"><div>On Monday</div><div>${COMMAND}</div></div>`,
    `<div id="divRplyFwdMsg">From: x</div><div>${COMMAND}</div>`,
    `<div id=appendonsend></div>${COMMAND}`,
    `<template>${COMMAND}</template>`,
    `<div style="display&colon;none">${COMMAND}</div>`,
    `<div style='display:none' class="x">${COMMAND}</div>`,
    `<div style=display:none>${COMMAND}</div>`,
    `<DIV HIDDEN>${COMMAND}</DIV>`,
    `<div title="a>b" hidden>${COMMAND}</div>`,
    `<div id="divRplyFwdMsg" hidden></div>${COMMAND}`,
    `<p title="${COMMAND}`,
    `<noframes>${COMMAND}</noframes>`,
    `<img alt="${COMMAND}">`,
  ])('%s', (hidden) => {
    expect(htmlToText(`<p>before</p>${hidden}`)).not.toContain('LONG');
    expect(htmlToText(`<p>before</p>${hidden}`)).toContain('before');
  });

  test('ends where its element ends', () => {
    expect(htmlToText(`<div hidden>a<div>b</div></div><p>${COMMAND}</p>`)).toBe(COMMAND);
    expect(htmlToText(`<blockquote>a</blockquote><p>${COMMAND}</p>`)).toBe(COMMAND);
  });
});

test('256 elements inside one another are read, and a page of more says nothing', () => {
  const nested = (depth: number) => `before${'<b>'.repeat(depth)}${COMMAND}${'</b>'.repeat(depth)}after`;
  expect(htmlToText(nested(256))).toBe(`before${COMMAND}after`);
  expect(htmlToText(nested(257))).toBe('');
});

test('HTML is told from text', () => {
  for (const html of ['<p>x', ' \n<!DOCTYPE html>', '<div dir="ltr">', '<html>', '<br>'])
    expect(looksLikeHtml(html)).toBe(true);
  for (const text of ['LONG 1', '{"a":"<p>"}', '<3 you', 'a <p>', '', '<ann@example.com>'])
    expect(looksLikeHtml(text)).toBe(false);
});

test('any HTML is read without an error', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '<',
      '>',
      '</',
      '<!--',
      '-->',
      '"',
      "'",
      '<div',
      ' hidden',
      '<script>',
      '<blockquote>',
      '</div>',
      '&',
      '&#',
    ),
    fc.string({ maxLength: 5 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      expect(typeof htmlToText(pieces.join(''))).toBe('string');
    }),
    { numRuns: 500 },
  );
});
