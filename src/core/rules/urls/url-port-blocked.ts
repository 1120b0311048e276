import { message } from '../../text/message.ts';
import { blockedPort } from '../../url/url.ts';
import { defineRule } from '../rule.ts';
import { OTHER_SCHEME } from '../other-url.ts';
import { resourceName } from '../../facts/resource-kind.ts';

export const urlPortBlocked = defineRule({
  id: 'url-port-blocked',
  title: 'URL with a port that browsers block',
  on: 'url',
  needs: ['resource', 'url', 'parsed'],
  severity: 'error',
  spec: '7',
  symptom: 'by-resource',
  owner: 'author',
  hidesApp: true,
  hiddenReason: 'The URL of its metadata file has a port that browsers block.',
  supersededBy: [OTHER_SCHEME],
  failsWhen: 'a URL has a port that browsers and Node’s `fetch` block (Fetch, “bad port”: 25, 6000, 6667, …)',
  why: 'They reject such a URL before anything is sent; command-line tools fetch it, which hides the problem.',
  examples: {
    bad: '"iconUrl": "https://apps.example.com:6000/echo.svg"',
    good: '"iconUrl": "https://apps.example.com:8443/echo.svg"',
  },
  check({ resource, url, parsed }) {
    const port = blockedPort(parsed.host);
    if (port === null) return null;
    return {
      message: message`The URL of the ${resourceName(resource)} has port ${port}, which browsers and Node.js refuse to connect to.`,
      advice: message`Serve the file on port 443, or on another port that is not blocked, such as 8443.`,
      evidence: { url, port },
    };
  },
});
