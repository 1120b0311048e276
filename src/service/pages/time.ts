import { formatDuration } from '../../core/text/format-duration.ts';
import { type Html, html } from './html.ts';

/** Times for people, kept current by the page's script. */

/** `12 min ago`, `in 48 min`, `just now`. */
export function relative(iso: string, now: Date): string {
  const seconds = Math.round((Date.parse(iso) - now.getTime()) / 1000);
  const distance = Math.abs(seconds);
  if (distance < 60) return seconds > 0 ? 'in less than a minute' : 'just now';
  const span = formatDuration(distance < 120 ? 60 : distance).replace('60 s', '1 min');
  return seconds > 0 ? `in ${span}` : `${span} ago`;
}

export function when(iso: string, now: Date): Html {
  return html`<time datetime="${iso}" title="${utc(iso)}" data-relative>${relative(iso, now)}</time>`;
}

/** A time in the future; a past one is due. */
export function due(iso: string, now: Date): Html {
  return Date.parse(iso) <= now.getTime() ? html`due now` : when(iso, now);
}

export function day(iso: string): Html {
  return html`<time datetime="${iso}" title="${utc(iso)}">${iso.slice(0, 10)}</time>`;
}

/** `2026-05-04 10:00 UTC` */
function utc(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`;
}
