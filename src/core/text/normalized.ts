/**
 * Unicode normalization (UAX #15) of untrusted text. The runtime sorts the combining marks after a character in
 * quadratic time, so a text of a megabyte of them would take hours.
 */

// The most marks in a row of the stream-safe text format (UAX #15 section 13); no language needs as many.
const MOST_MARKS = 30;
const TOO_MANY_MARKS = new RegExp(String.raw`\p{M}{${MOST_MARKS + 1}}`, 'u');
const PART = new RegExp(String.raw`\P{M}+\p{M}{0,${MOST_MARKS}}|\p{M}{1,${MOST_MARKS}}`, 'gu');

/** True if the text has more combining marks in a row than any language needs. */
export function hasTooManyMarks(text: string): boolean {
  return TOO_MANY_MARKS.test(text);
}

/** The text in a normalization form; of more than 30 combining marks in a row, 30 at a time are sorted. */
export function normalized(text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string {
  if (!hasTooManyMarks(text)) return text.normalize(form);
  return (text.match(PART) ?? []).map((part) => part.normalize(form)).join('');
}
