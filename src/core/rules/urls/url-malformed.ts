import { message } from '../../text/message.ts';
import { urlErrors } from '../../url/url-error.ts';
import { safeExcerpt } from '../../text/text.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import { defineRule } from '../rule.ts';

export const urlMalformed = defineRule({
  id: 'url-malformed',
  title: 'Malformed URL',
  on: 'url',
  needs: ['resource', 'url', 'isPlain'],
  severity: 'error',
  spec: '2.1',
  symptom: 'by-resource',
  owner: 'author',
  hidesApp: true,
  hiddenReason: 'The URL of its metadata file is not valid.',
  causes: {
    empty: { title: 'The URL is empty' },
    whitespace: { title: 'White space around the URL', fixable: true },
    'control-character': { title: 'The URL has a control character' },
    'no-scheme': { title: 'The scheme is missing' },
    scheme: { title: 'The scheme is not http or https' },
    relative: { title: 'The URL is relative' },
    slashes: { title: 'Wrong slashes after the scheme, or backslashes' },
    unparsable: { title: 'The host or the port is not valid' },
    userinfo: { title: 'The URL has a user name or password' },
    host: { title: 'The host name cannot exist in DNS' },
  },
  failsWhen: 'a URL is not an absolute http(s) URL, or contains a user name or password, which browsers reject',
  why: 'The service cannot fetch it.',
  examples: {
    bad: '"iconUrl": "/echo.svg"',
    good: '"iconUrl": "https://apps.example.com/echo.svg"',
  },
  check({ resource, url, isPlain }) {
    if (isPlain) return null;
    return urlErrors(url).map(({ cause, message: summary, advice }) => ({
      cause,
      message: message`The URL of the ${resourceName(resource)} cannot be used: ${safeExcerpt(summary)}`,
      advice,
      evidence: { url },
    }));
  },
});
