import { type NotJudgedReason, reasonText } from '../facts/missing.ts';
import { redact } from '../text/text.ts';
import type { NotJudged } from './report.ts';

/**
 * An entry of a report's `notJudged`.
 * @param rule the rule's id, or `*` for the run as a whole
 */
export function notJudgedEntry(
  rule: string,
  { app = null, version = null, resource = null }: Partial<Pick<NotJudged, 'app' | 'version' | 'resource'>>,
  reason: NotJudgedReason,
): NotJudged {
  const about = rule === '*' ? resource : null;
  return { rule, app, version, resource, code: reason.code, reason: redact(reasonText(reason, about)), count: null };
}
