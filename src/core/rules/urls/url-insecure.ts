import { message } from '../../text/message.ts';
import { isLoopback } from '../../url/url.ts';
import { safeExcerpt } from '../../text/text.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import { defineRule } from '../rule.ts';

export const urlInsecure = defineRule({
  id: 'url-insecure',
  title: 'URL that is not https',
  on: 'url',
  needs: ['resource', 'url', 'parsed', 'registry'],
  severity: 'error',
  spec: '5',
  symptom: 'by-resource',
  owner: 'author',
  causes: {
    http: { title: 'The URL is http' },
    loopback: { title: 'The URL is http on a loopback host' },
  },
  failsWhen:
    'a URL has the scheme `http:`. For a loopback host this is a warning, reported once if the registry itself is on loopback',
  why: 'HTTPS is required: http content can be changed in transit, and browsers block mixed content.',
  examples: {
    bad: '"iconUrl": "http://apps.example.com/echo.svg"',
    good: '"iconUrl": "https://apps.example.com/echo.svg"',
  },
  check({ resource, url, parsed, registry }) {
    if (parsed.protocol !== 'http:') return null;
    const local = isLoopback(parsed.hostname);
    // A registry tested on loopback has its other files there too: one warning, about the manifest.
    if (local && resource !== 'manifest' && registry?.protocol === 'http:' && isLoopback(registry.hostname))
      return null;
    return {
      severity: local ? 'warning' : 'error',
      cause: local ? 'loopback' : 'http',
      message: local
        ? message`The URL of the ${resourceName(resource)} leads to the loopback interface of this machine, over plain http.`
        : message`The URL of the ${resourceName(resource)} is not https.`,
      advice: local
        ? message`This is fine for local tests; subscribers need an https URL.`
        : message`Serve it over HTTPS and write ${safeExcerpt(`https://${url.slice(url.indexOf('//') + 2)}`)}`,
      evidence: { url },
      ...(local ? { dedupeKey: 'loopback' } : {}),
    };
  },
});
