import { message } from '../../text/message.ts';
import { didYouMean } from '../../text/similar-names.ts';
import { printableExcerpt, safeExcerpt } from '../../text/text.ts';
import { defineRule } from '../rule.ts';

export const exceptionUnused = defineRule({
  id: 'exception-unused',
  title: 'Exception that matches no finding',
  on: 'exception',
  needs: ['exception', 'isListed', 'isUsed', 'keys'],
  severity: 'warning',
  spec: null,
  symptom: null,
  owner: 'author',
  causes: {
    'no-finding': { title: 'No finding matches the exception' },
    'app-not-listed': { title: 'The manifest does not list its app' },
  },
  failsWhen: 'an exception of the configuration matches no finding, although its rule and its app were judged',
  why: 'The problem is fixed, or the exception is mistyped. If it is kept, it may hide a new problem.',
  examples: {
    bad: `// found: url-unstable
{ "rule": "url-insecure", "reason": "The host has no certificate yet." }`,
    good: `// found: url-insecure
{ "rule": "url-insecure", "reason": "The host has no certificate yet." }`,
  },
  check({ exception, isListed, isUsed, keys }) {
    if (isUsed) return null;
    const { rule, app, version, url, secret, reason, until } = exception;
    const about = [
      ...(app === null ? [] : [`app ${printableExcerpt(app, 80)}`]),
      ...(version === null ? [] : [`version ${printableExcerpt(version.text, 60)}`]),
      ...(secret === null ? [] : [`secret ${printableExcerpt(secret, 20)}`]),
      ...(url === null ? [] : [`URL ${printableExcerpt(url, 200)}`]),
    ];
    const name = `The exception for ${rule}${about.length === 0 ? '' : ` (${about.join(', ')})`}`;
    const evidence = { rule, app, version: version?.text ?? null, url, secret, reason, until };
    if (!isListed && app !== null)
      return {
        cause: 'app-not-listed' as const,
        message: message`${name} is not used: the manifest lists no app “${safeExcerpt(app, 80)}”.${didYouMean(app, keys)}`,
        advice: message`Correct the key, or remove the exception from the configuration.`,
        evidence,
      };
    return {
      cause: 'no-finding' as const,
      message: message`${name} is not used: no finding matches it.`,
      advice: message`Correct the exception, or remove it from the configuration.`,
      evidence,
    };
  },
});
