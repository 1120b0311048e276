import { isMissing, type Missing, type HttpViews } from '../../facts/facts.ts';
import { defineRule } from '../rule.ts';
import { labelNotUndone } from '../../http/undecoded-label.ts';
import { pageAnswer, pageInstead } from '../../http/web-page.ts';

export const documentUnreadable = defineRule({
  id: 'document-unreadable',
  on: 'document',
  needs: ['reading', 'facts'],
  severity: 'error',
  spec: '7',
  symptom: 'by-resource',
  hidesApp: true,
  failsWhen:
    'a manifest or metadata file is not JSON; the cause is named: empty, html-page, git-lfs-pointer, xml-error, not-utf8, truncated, comment, trailing-comma, …',
  why: 'The service cannot read the file: a broken manifest stops the whole registry, a broken metadata file makes its app vanish.',
  check({ reading, facts }) {
    const { fault } = reading;
    if (!fault) return null;
    const { cause, offset } = fault;
    if (cause === 'html-page' && !isMissing(facts.content))
      return { ...pageInstead(facts.content.text ?? '', 'JSON', pageAnswer(facts.web)), cause, offset };
    return {
      ...(undecoded(cause, facts.web) ?? { message: fault.message, advice: fault.advice }),
      cause,
      offset,
      evidence: fault.evidence ?? {},
    };
  },
});

/** Compressed bytes with a coding that clients do not decode; null if Content-Encoding is not the reason. */
function undecoded(cause: string, web: HttpViews | Missing): { message: string; advice: string } | null {
  const label = cause === 'gzip' ? labelNotUndone(web) : null;
  if (label === null) return null;
  return {
    message: `The file is gzip data, and ${label}.`,
    advice: 'Send Content-Encoding: gzip and nothing else, or the JSON as it is.',
  };
}
