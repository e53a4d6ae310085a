// Where the dashboard begins: the stylesheet, the theme, and the shell in its place.

import '@fontsource/inter/latin-400.css';
import '@fontsource/inter/latin-600.css';
import '@fontsource/jetbrains-mono/latin-400.css';
import './styles/tokens.css';
import './styles/base.css';
import { render } from 'preact';
import { App } from './shell/app.tsx';
import { applyTheme, storedTheme } from './ui/theme.ts';

applyTheme(storedTheme());
const place = document.getElementById('app');
if (place === null) throw new Error('the page has no place for the app');
render(<App />, place);
// There only for a page over TLS or of this very machine.
void navigator.serviceWorker?.register('/service-worker.js');
