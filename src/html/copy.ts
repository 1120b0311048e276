import { code, type Html, html, sanitized } from './html.ts';

/** Copy buttons, which the script of a page makes visible. */

/** @param what it copies, for screen readers */
export function copyButton(text: string, what: string): Html {
  return html`<button type="button" class="copy" data-copy="${text}" aria-label="Copy ${what}" hidden>Copy</button>`;
}

/** A URL or digest with a copy button. */
export function copyable(text: string, what: string): Html {
  return html`<span class="copyable">${code(text)}${copyButton(sanitized(text, 20_000), what)}</span>`;
}
