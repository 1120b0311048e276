import { message } from '../../text/message.ts';
import { safeExcerpt } from '../../text/text.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import { defineRule } from '../rule.ts';
import { leadingNames } from './changing-part/words.ts';
import { placeholderIn } from './placeholder/placeholder.ts';

export const urlPlaceholder = defineRule({
  id: 'url-placeholder',
  title: 'Placeholder left in a URL',
  on: 'url',
  needs: ['resource', 'url', 'parsed'],
  severity: 'error',
  spec: '7',
  symptom: 'by-resource',
  owner: 'author',
  hidesApp: true,
  hiddenReason: 'The URL of its metadata file contains a placeholder.',
  // A host may have a file of that name.
  refusesVersion: false,
  causes: {
    template: { title: 'The URL contains a variable of a template' },
    value: { title: 'The URL contains the text for a missing value' },
  },
  failsWhen:
    'a URL contains a variable that was not replaced (`{version}`, `${VERSION}`, `{{version}}`, `<version>`, `%VERSION%`, `__VERSION__`, `v$version`, `/:version/`), or the text for a missing value (`undefined`, `null`, `NaN`)',
  why: 'The host has no file of that name, so subscribers get an error.',
  examples: {
    bad: '"artifactUrl": "https://apps.example.com/echo/{version}.tar.gz"',
    good: '"artifactUrl": "https://apps.example.com/echo/1.0.0.tar.gz"',
  },
  check({ resource, url, parsed }) {
    const found = placeholderIn(url, parsed, leadingNames(parsed.hostname));
    if (found === null) return null;
    const { cause, part } = found;
    return {
      cause,
      // A name is not always a placeholder: what its URL serves decides.
      hidesApp: cause === 'template',
      message: message`The URL of the ${resourceName(resource)} contains a placeholder: “${safeExcerpt(part, 100)}”.`,
      advice:
        cause === 'template'
          ? message`Write the value in its place; the step that generates the URL did not replace it.`
          : message`Correct the step that generates the URL: a variable had no value.`,
      evidence: { url, placeholder: part },
    };
  },
});
