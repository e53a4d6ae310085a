// Light or dark: as the machine prefers, or as this browser was told.

export type Theme = 'auto' | 'light' | 'dark';

const KEY = 'signalbox.theme';

export function storedTheme(): Theme {
  const stored = localStorage.getItem(KEY);
  return stored === 'light' || stored === 'dark' ? stored : 'auto';
}

export function applyTheme(theme: Theme): void {
  if (theme === 'auto') {
    localStorage.removeItem(KEY);
    delete document.documentElement.dataset.theme;
    return;
  }
  localStorage.setItem(KEY, theme);
  document.documentElement.dataset.theme = theme;
}
