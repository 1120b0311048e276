import { message, safe } from '../../../text/message.ts';
import type { Probe } from '../../../facts/facts.ts';
import { urlInOtherRegion } from '../../../http/store-error.ts';
import { otherRegion } from './other-region.ts';
import { lastHop } from '../../../http/probe.ts';
import { header, headerLines } from '../../../http/headers.ts';
import { printable, shorten } from '../../../text/text.ts';
import { type FailedRequest, hasCode, type Row } from './causes.ts';

/** Redirects that no client follows. */
export const REDIRECT_FAILURES: readonly Row<FailedRequest>[] = [
  {
    when: hasCode('REDIRECT_BLOCKED_PORT'),
    cause: 'redirect-port-blocked',
    message: ({ host }) =>
      message`a redirect leads to ${host}, with a port that browsers and Node.js refuse to connect to.`,
    advice: message`Serve the file on port 443, or on another port that is not blocked, such as 8443.`,
  },
  {
    when: hasCode('REDIRECT_BAD_LOCATION'),
    cause: 'redirect-malformed',
    message: (request) => message`a redirect leads to ${locationOf(request)}, which is not an http or https URL.`,
    advice: message`Correct the Location header of the redirect.`,
  },
  {
    when: hasCode('REDIRECT_SEVERAL_LOCATIONS'),
    cause: 'redirect-ambiguous',
    message: (request) =>
      message`a redirect has several different Location headers${namedLocations(request)}; browsers reject it, and other clients choose one.`,
    advice: message`Send only one Location header. Often the application and the web server, or two rules, each add one.`,
    evidence: (request) => ({ locations: locationsOf(request).slice(0, 5) }),
  },
  {
    when: ({ failure, probe }) => failure.code === 'REDIRECT_NO_LOCATION' && bucketMoved(probe) !== null,
    cause: 'wrong-region',
    message: ({ probe }) =>
      message`the store responds with a redirect without a Location: ${safe(bucketMoved(probe)?.message ?? '')}`,
    advice: ({ probe }) => bucketMoved(probe)?.advice ?? message``,
  },
  {
    when: hasCode('REDIRECT_NO_LOCATION'),
    cause: 'redirect-without-location',
    message: message`a redirect has no Location header.`,
    advice: message`Add a Location header to the redirect, or serve the file itself.`,
  },
  {
    when: hasCode('REDIRECT_CREDENTIALS'),
    cause: 'redirect-credentials',
    message: message`a redirect leads to a URL with a user name or password; browsers and other clients reject it.`,
    advice: message`Redirect to a URL without credentials.`,
  },
];

function locationOf({ probe }: FailedRequest): string {
  const location = header(lastHop(probe)?.headers ?? [], 'location');
  return location === null ? 'an unknown location' : `“${printable(shorten(location, 100))}”`;
}

function locationsOf({ probe }: FailedRequest): string[] {
  return [...new Set(headerLines(lastHop(probe)?.headers ?? [], 'location'))];
}

function namedLocations(request: FailedRequest): string {
  const shown = locationsOf(request)
    .slice(0, 3)
    .map((location) => (location === '' ? 'an empty one' : shorten(location, 100)));
  return shown.length > 1 ? ` (${shown.join(' and ')})` : '';
}

/** The explanation of a redirect of a store to another region; null for other redirects. */
function bucketMoved(probe: Probe): ReturnType<typeof otherRegion> | null {
  const hop = lastHop(probe);
  return hop === null || urlInOtherRegion(hop) === null ? null : otherRegion(hop);
}
