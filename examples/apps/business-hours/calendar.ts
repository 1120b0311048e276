/** Opening and closing minute of each UTC day, Sunday first; null for a free day. */
export type Week = readonly (readonly [open: number, close: number] | null)[];

const DAY = 24 * 60;

export function isOpen(week: Week, at: Date): boolean {
  const hours = week[at.getUTCDay()];
  const minute = at.getUTCHours() * 60 + at.getUTCMinutes();
  return hours !== null && hours !== undefined && minute >= hours[0] && minute < hours[1];
}

/** The moment when so many working minutes have passed since `from`. */
export function addBusinessMinutes(week: Week, from: Date, minutes: number): Date {
  if (week.every((hours) => hours === null || hours[1] <= hours[0])) throw new RangeError('The week has no working hours.');
  let left = minutes;
  let midnight = Date.UTC(from.getUTCFullYear(), from.getUTCMonth(), from.getUTCDate());
  let minute = from.getUTCHours() * 60 + from.getUTCMinutes();
  for (;;) {
    const hours = week[new Date(midnight).getUTCDay()];
    if (hours) {
      const start = Math.max(minute, hours[0]);
      const room = Math.max(0, hours[1] - start);
      if (left <= room) return new Date(midnight + (start + left) * 60_000);
      left -= room;
    }
    midnight += DAY * 60_000;
    minute = 0;
  }
}
