/**
 * True if a date exists, and its time of day: not 30 February, and not 24:00. `Date` takes the next day for these.
 * @param text of the form YYYY-MM-DD, or YYYY-MM-DDThh:mm with anything that `Date` accepts after it
 */
export function isInCalendar(text: string): boolean {
  const minutes = text.length > 10 ? text.slice(0, 16).toUpperCase() : `${text}T00:00`;
  const moment = new Date(`${minutes}Z`);
  if (Number.isNaN(moment.getTime()) || Number.isNaN(Date.parse(text))) return false;
  return moment.toISOString().startsWith(minutes);
}
