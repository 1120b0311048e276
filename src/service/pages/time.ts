import { formatTime } from '../../core/text/format-time.ts';
import { type Html, html } from '../../html/html.ts';

/** Times for people, kept current by the page's script. */

const [MINUTE, HOUR, DAY] = [60, 3600, 86_400];

/** `12 min ago`, `in 1 h`, `just now`: rounded, since the exact time is in the title. */
export function relativeText(iso: string, now: Date): string {
  const seconds = Math.round((Date.parse(iso) - now.getTime()) / 1000);
  const distance = Math.abs(seconds);
  if (distance < MINUTE) return seconds > 0 ? 'in less than a minute' : 'just now';
  return seconds > 0 ? `in ${rounded(distance)}` : `${rounded(distance)} ago`;
}

/** `59 min`, `1 h`, `3 days`. The page's script has the same function. */
function rounded(seconds: number): string {
  const minutes = Math.round(seconds / MINUTE);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.round(seconds / HOUR);
  if (hours < 48) return `${hours} h`;
  return `${Math.round(seconds / DAY)} days`;
}

export function relativeTime(iso: string, now: Date): Html {
  return html`<time datetime="${iso}" title="${formatTime(iso)}" data-relative>${relativeText(iso, now)}</time>`;
}

/** A time in the future; a past one is due. */
export function dueTime(iso: string, now: Date): Html {
  return Date.parse(iso) <= now.getTime() ? html`due now` : relativeTime(iso, now);
}

export function calendarDay(iso: string): Html {
  return html`<time datetime="${iso}" title="${formatTime(iso)}">${iso.slice(0, 10)}</time>`;
}
