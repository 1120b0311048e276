/** A duration in words, to the precision relevant to a reader: `90 s`, `5 min`, `1 hour`, `2 h 10 min`, `10 days`. */
export function formatDuration(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return minutes === 60 ? '1 hour' : `${minutes} min`;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours < 48) return rest === 0 ? `${hours} hours` : `${hours} h ${rest} min`;
  const days = Math.round(hours / 24);
  return days < 730 ? `${days} days` : `${Math.floor(days / 365.25)} years`;
}

/** A sentence to append to something missing from a copy of that age, in seconds; '' if it is not an old copy (0). */
export function sinceCopy(age: number): string {
  return age === 0 ? '' : ` This is a cached copy, ${formatDuration(age)} old: it may lack what was published since.`;
}
