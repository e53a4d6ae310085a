// The page that shows an OpenAPI document to a human: one file, no dependency, no request but to its own server.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export interface DocsPage {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

const style = readFileSync(new URL('./docs-page/page.css', import.meta.url), 'utf8');
/** Modules for whoever reads them, one script for the browser: a page of one file needs no further request. */
const MODULES = ['elements', 'fields', 'requests', 'try-it', 'search', 'page'];
const script = MODULES.map((name) => readFileSync(new URL(`./docs-page/${name}.js`, import.meta.url), 'utf8'))
  .join('\n')
  .replace(/^import [^;]*;$/gm, '')
  .replace(/^export /gm, '');

/** Only this very style and this very script may run, and they may talk to this server alone. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src '${digest(style)}'`,
  `script-src '${digest(script)}'`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function digest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

export interface DocsPageOptions {
  readonly title: string;
  readonly openapiUrl: string;
  /** Of the program; the document tells that of the interface. */
  readonly release: string;
}

export function docsPage({ title, openapiUrl, release }: DocsPageOptions): DocsPage {
  const name = escapeHtml(title);
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${name}</title>
<style>${style}</style>
</head>
<body data-openapi="${escapeHtml(openapiUrl)}" data-release="${escapeHtml(release)}">
<header><h1>${name}</h1><p id="about">Loading the description…</p></header>
<div id="layout">
<nav aria-label="Endpoints"><input id="search" type="search" placeholder="Search endpoints, fields, error codes" aria-label="Search endpoints, fields, error codes" autocomplete="off"><div id="contents"></div></nav>
<main>
<details id="variables"><summary>The variables of the curl lines</summary><p>Every curl line works as it is copied, in a shell that has the variables it names. Each is set by its line here; those below may need those above.</p></details>
<p id="nothing" hidden>No endpoint has all of these words.</p>
<div id="endpoints"></div>
</main>
</div>
<noscript><p>This page needs JavaScript. The same content is at <a href="${escapeHtml(openapiUrl)}">${escapeHtml(openapiUrl)}</a>.</p></noscript>
<script>${script}</script>
</body>
</html>
`;
  return {
    html,
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': CONTENT_SECURITY_POLICY },
  };
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (char) => entities[char] ?? char);
}
