import { withoutFragment } from '../../url/url.ts';
import { urlOddities } from '../../url/url-error.ts';
import { defineRule } from '../rule.ts';
import { NOT_ITS_URL } from '../other-url.ts';

export const urlUnusual = defineRule({
  id: 'url-unusual',
  title: 'URL in an unusual form',
  on: 'url',
  needs: ['resource', 'url', 'isPlain', 'parsed'],
  severity: 'warning',
  spec: null,
  symptom: null,
  owner: 'author',
  supersededBy: NOT_ITS_URL,
  causes: {
    fragment: { title: 'The URL has a fragment' },
    'host-not-ascii': { title: 'The host name is not ASCII' },
    unescaped: { title: 'Characters are not percent-encoded' },
    'not-normalized': { title: 'Uppercase letters in the host, a default port or an unusual address' },
    'dot-segments': { title: 'The path has "." or ".." segments' },
  },
  failsWhen:
    'a URL works, but clients treat its form differently: a fragment (except for icons, where browsers show that part of the image), a non-ASCII host, unescaped characters, a default port, dot segments',
  why: 'One client may fetch it while another one cannot, and a look-alike host is easily overlooked.',
  examples: {
    bad: '"artifactUrl": "https://APPS.example.com:443/echo/1.0.0.tar.gz"',
    good: '"artifactUrl": "https://apps.example.com/echo/1.0.0.tar.gz"',
  },
  check({ resource, url, isPlain }) {
    if (isPlain) return null;
    // A browser requests the URL without the fragment, and shows the part of the SVG that it identifies.
    const oddities = urlOddities(resource === 'icon' ? withoutFragment(url) : url);
    return oddities.map((oddity) => ({ ...oddity, evidence: { url } }));
  },
});
