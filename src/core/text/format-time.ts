/** A time as a sentence names it, in UTC to the minute: `2026-11-14 12:00 UTC`; "never" for null. */
export function formatTime(iso: string | null): string {
  if (iso === null) return 'never';
  const time = Date.parse(iso);
  return Number.isNaN(time) ? iso : `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
