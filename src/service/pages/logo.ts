import { html } from './html.ts';

/** The logo, in the current text color. */
export const LOGO = html`<svg
  class="mark"
  viewBox="0 0 20 20"
  width="20"
  height="20"
  aria-hidden="true"
  focusable="false"
>
  <rect x="1" y="1" width="8" height="8" rx="2.2" fill="currentColor" />
  <rect x="11" y="1" width="8" height="8" rx="2.2" fill="currentColor" opacity=".35" />
  <rect x="1" y="11" width="8" height="8" rx="2.2" fill="currentColor" opacity=".35" />
  <rect x="11" y="11" width="8" height="8" rx="4" class="dot" />
</svg>`;
