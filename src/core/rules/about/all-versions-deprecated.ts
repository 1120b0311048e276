import { retirementOf } from '../../about/retirement.ts';
import { message } from '../../text/message.ts';
import { counted } from '../../text/text.ts';
import { defineRule } from '../rule.ts';

export const allVersionsDeprecated = defineRule({
  id: 'all-versions-deprecated',
  title: 'App of which all versions are retired',
  on: 'about',
  needs: ['about', 'listed'],
  severity: 'warning',
  spec: null,
  symptom: null,
  owner: 'author',
  failsWhen: 'the about file of an app retires every listed version',
  why: 'The app stays visible, and subscribers are offered a version that its author advises against.',
  examples: {
    bad: `// listed: 1.2.0
{ "schema": 1, "versions": { "1.2.0": { "deprecated": { "reason": "unmaintained", "message": "Use the app “world-clock”." } } } }`,
    good: `// listed: 1.2.0 1.2.1
{ "schema": 1, "versions": { "1.2.0": { "deprecated": { "reason": "broken", "message": "It does not start." } } } }`,
  },
  check({ about, listed }) {
    if (listed.length === 0 || listed.some((version) => retirementOf(version, about) === null)) return null;
    return {
      at: '/versions',
      message: message`${listed.length === 1 ? 'The only version' : `All ${counted(listed.length, 'version')}`} of the app ${listed.length === 1 ? 'is' : 'are'} retired.`,
      advice: message`Publish a version that replaces ${listed.length === 1 ? 'it' : 'them'}. If the app is no longer maintained, this is intended: set the rule to off for it with an exception.`,
    };
  },
});
