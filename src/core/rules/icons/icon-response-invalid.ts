import { answersToBrowsers } from '../../http/answers.ts';
import { hostOf, lastHop } from '../../http/probe.ts';
import { message } from '../../text/message.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { defineRule } from '../rule.ts';

const CAUSES = {
  'not-http': { title: 'The response is not valid HTTP' },
  'content-encoding-broken': { title: 'The end of the compressed data is invalid' },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

export const iconResponseInvalid = defineRule({
  id: 'icon-response-invalid',
  title: 'Icon in a response that only browsers accept',
  on: 'icon',
  needs: ['web', 'answer'],
  severity: 'warning',
  spec: '4.1',
  symptom: 'icon-does-not-display',
  owner: 'host',
  causes: CAUSES,
  failsWhen:
    'browsers show an icon although its response is not valid HTTP (a header line without a colon, a folded line, LF as a line end, two equal lengths, a length beside chunks, …), or its compressed data has no valid end. If browsers refuse the response as well, the icon cannot be fetched (unreachable)',
  why: 'Clients other than browsers, such as Node.js, and proxies in between refuse the response.',
  examples: {
    bad: `GET /echo.svg

HTTP/1.1 200 OK
Content-Type: image/svg+xml
X-Powered-By

<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M0 0h24v24H0z"/></svg>`,
    good: `GET /echo.svg

HTTP/1.1 200 OK
Content-Type: image/svg+xml
X-Powered-By: a server

<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M0 0h24v24H0z"/></svg>`,
  },
  check({ web }) {
    const hop = [web.server, ...answersToBrowsers(web)].map(lastHop).find((one) => one?.refusedByNode !== undefined);
    const code = hop?.refusedByNode;
    if (!hop || code === undefined) return null;
    const host = hostOf(hop.url);
    const cause: Cause = code.startsWith('Z_') ? 'content-encoding-broken' : 'not-http';
    const evidence = { requested: hop.url, status: hop.status, code };
    const dedupeKey = `${host} ${cause}`;
    if (cause === 'not-http')
      return {
        cause,
        message: message`${host} sends the icon in a response that is not valid HTTP (${code}): browsers show it, but Node.js and other clients refuse it.`,
        advice: message`Correct the headers and the framing that the server sends (folded lines, lines without a colon, line ends, several lengths): inspect them with curl -v.`,
        evidence,
        dedupeKey,
      };
    return {
      cause,
      message: message`${host} sends the icon as compressed data without a valid end (${code}): browsers show it, but Node.js and other clients refuse it.`,
      advice: message`Upload the compressed copy again, completely, or send the file itself without Content-Encoding.`,
      evidence,
      dedupeKey,
    };
  },
});
