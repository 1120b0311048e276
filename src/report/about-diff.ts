import type { AboutDiff } from '../core/registry/about-diff.ts';
import { counted, safeExcerpt } from '../core/text/text.ts';

/** What about files say differently, as sentences. */

const CHANGES: Record<AboutDiff['change'], string> = {
  retired: 'retired',
  restored: 'no longer retired',
  'retirement-changed': 'the retirement changed',
  'notes-changed': 'the notes changed',
  'published-changed': 'the time of publication changed',
  'links-changed': 'links or license changed',
};
/** Differences listed. */
const MOST = 100;

/** A line for each difference. */
export function aboutLines(found: readonly AboutDiff[]): string[] {
  const lines = found.slice(0, MOST).map(({ app, version, change, reason }) => {
    const of = version === null ? safeExcerpt(app) : `${safeExcerpt(app)} ${safeExcerpt(version)}`;
    return `${of}: ${CHANGES[change]}${reason === null ? '' : ` (${reason})`}`;
  });
  const rest = found.length - lines.length;
  return rest === 0 ? lines : [...lines, `… and ${counted(rest, 'more change')} of about files`];
}
