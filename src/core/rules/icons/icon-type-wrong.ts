import { answersToBrowsers, toBrowsers } from '../../http/answers.ts';
import type { HttpViews, Probe } from '../../facts/facts.ts';
import { mediaType } from '../../http/headers.ts';
import { hasNosniff, isAlternating } from '../../http/judged-headers.ts';
import { finalHop, lastHop } from '../../http/probe.ts';
import { parseUrl } from '../../url/url.ts';
import { message } from '../../text/message.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { defineRule, type Problem } from '../rule.ts';

const CAUSES = {
  missing: { title: 'Content-Type is missing' },
  'svg-type': { title: 'An SVG has a different type' },
  'png-type': { title: 'A PNG has a different type' },
  'png-as-svg': { title: 'A PNG has the type of SVG' },
  'png-blocked': { title: 'A PNG has a type that browsers block' },
  'png-nosniff': { title: 'A PNG has a type that browsers block because of nosniff' },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

export const iconTypeWrong = defineRule({
  id: 'icon-type-wrong',
  title: 'Icon with a Content-Type that browsers do not show',
  on: 'icon',
  needs: ['image', 'web', 'answer', 'origins'],
  severity: 'error',
  spec: '7',
  symptom: 'icon-does-not-display',
  owner: 'host',
  causes: CAUSES,
  failsWhen:
    'browsers do not show an icon because of its Content-Type: an SVG as anything other than image/svg+xml; a PNG as SVG or as an archive or office file, or with nosniff as text, HTML, JSON or XML. A warning if browsers detect the type from the bytes and show it anyway',
  why: 'Browsers recognize an SVG only by its Content-Type, and block text and HTML types for images from other hosts.',
  examples: {
    bad: `GET /echo.svg

HTTP/1.1 200 OK
Content-Type: text/plain

<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M0 0h24v24H0z"/></svg>`,
    good: `GET /echo.svg

HTTP/1.1 200 OK
Content-Type: image/svg+xml

<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M0 0h24v24H0z"/></svg>`,
  },
  check({ image, web, origins }) {
    if (isAlternating(web, 'Content-Type') || isAlternating(web, 'X-Content-Type-Options')) return null;
    const problems = answersToBrowsers(web)
      .map((probe) => problemOf(probe, image.kind, web, origins))
      .filter((problem) => problem !== null);
    return problems.find(({ severity = 'error' }) => severity === 'error') ?? problems[0];
  },
});

/** @param kind of the image that the plain GET got */
function problemOf(probe: Probe, kind: string, web: HttpViews, origins: readonly string[]): Problem<Cause> | null {
  const type = typeOf(probe);
  const nosniff = hasNosniff(probe);
  // Hosts convert images for browsers.
  const shown = probe.copy?.decoded?.kind ?? kind;
  const evidence = { contentType: type, nosniff, image: shown };
  const served = `${type === null ? 'without a Content-Type' : `as ${type}`}${toBrowsers(web, probe, typeOf)}`;
  if (shown === 'svg') {
    if (type === 'image/svg+xml') return null;
    return {
      cause: type === null ? 'missing' : 'svg-type',
      message: message`The SVG icon is served ${served}; browsers show SVG only as image/svg+xml.`,
      advice: message`Serve .svg files with Content-Type: image/svg+xml`,
      evidence,
    };
  }
  if (shown !== 'png' || type === 'image/png' || type === 'image/apng' || type === 'image/x-png') return null;
  const [cause, consequence] = ofPng(type, nosniff, isForeign(probe, origins));
  return {
    severity: cause === 'missing' || cause === 'png-type' ? 'warning' : 'error',
    cause,
    message: message`The PNG icon is served ${served}${consequence}.`,
    advice: message`Serve .png files with Content-Type: image/png`,
    evidence,
  };
}

/** The media type of a response; null if it has none. */
function typeOf(probe: Probe): string | null {
  return mediaType(finalHop(probe).headers)?.type || null;
}

/** True if pages load it from an origin other than their own. */
function isForeign(probe: Probe, origins: readonly string[]): boolean {
  const own = parseUrl(lastHop(probe)?.url ?? '')?.origin;
  return origins.length === 0 || origins.some((origin) => origin !== own);
}

function ofPng(type: string | null, nosniff: boolean, foreign: boolean): [cause: Cause, consequence: string] {
  if (type === 'image/svg+xml') return ['png-as-svg', '; browsers rely on the type, and find no SVG'];
  const blocked = type === null || !foreign ? null : isBlockedByType(type, nosniff);
  if (blocked === 'type') return ['png-blocked', ', which browsers block on pages of other hosts'];
  if (blocked === 'nosniff')
    return ['png-nosniff', ', which browsers block on pages of other hosts because of nosniff'];
  return [type === null ? 'missing' : 'png-type', '; browsers show it because they inspect the bytes'];
}

/**
 * Opaque response blocking (Fetch; ORB): the responses that a browser blocks for a no-cors request, such as a plain
 * <img>, based on the Content-Type. If the type is inconclusive it inspects the bytes, and allows complete images.
 */

// Types that are never an image, script or style sheet, so that their bytes are not inspected.
const NEVER_SNIFFED =
  /^(?:application\/(?:x-)?gzip|application\/(?:zip|pdf|x-protobuf|msexcel|mspowerpoint|msword|msword-template)|application\/vnd\.(?:ms-excel|ms-powerpoint|ms-word|msword|ces-quick|openxmlformats-officedocument|presentation-openxml|spreadsheet-openxml|wordprocessing-openxml).*|text\/(?:csv|event-stream)|multipart\/(?:byteranges|signed))$/;
const PAGE_OR_DATA = /^(?:text\/(?:html|plain|json|xml)|application\/(?:json|xml)|.+\+(?:json|xml))$/;

/**
 * The reason why browsers block a PNG with this Content-Type, or null: `type` because of its type, `nosniff` only
 * together with nosniff.
 * @param type in lower case, without parameters
 */
function isBlockedByType(type: string, nosniff: boolean): 'type' | 'nosniff' | null {
  if (NEVER_SNIFFED.test(type)) return 'type';
  return nosniff && PAGE_OR_DATA.test(type) ? 'nosniff' : null;
}
