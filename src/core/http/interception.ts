import type { Hop } from '../facts/facts.ts';
import { header } from './headers.ts';

/** Responses of products in front of a host, instead of the file: bot protection, firewalls, portals. */

/** What such a response is: who has to act depends on it. */
export type InterceptionKind = 'bot-protection' | 'firewall' | 'origin-down' | 'maintenance' | 'parked' | 'portal';

export interface Interception {
  /** For a sentence: `Imperva Incapsula`. */
  product: string;
  kind: InterceptionKind;
}

interface Form extends Interception {
  /** A response header, and the values that identify the product. */
  header?: readonly [name: string, value: RegExp];
  body?: RegExp;
}

/** The first form that applies identifies the response: one of its marks suffices. */
const FORMS: readonly Form[] = [
  { product: 'Cloudflare', kind: 'bot-protection', header: ['cf-mitigated', /challenge/i] },
  {
    product: 'Cloudflare',
    kind: 'bot-protection',
    body: /\/cdn-cgi\/challenge-platform\/|<title>(Just a moment\.\.\.|Attention Required! \| Cloudflare)|cf-browser-verification/i,
  },
  {
    product: 'Cloudflare',
    kind: 'firewall',
    body: /error code: 10(0[5-9]|10|12|15|20)\b|cf-error-details[^]{0,2000}\b10(0[5-9]|10|12|15|20)\b/i,
  },
  {
    product: 'Cloudflare',
    kind: 'origin-down',
    body: /error code: 5[23]\d\b|cf-error-details[^]{0,2000}\b5[23]\d\b|\| 5[23]\d: /i,
  },
  {
    product: 'Imperva Incapsula',
    kind: 'bot-protection',
    header: ['x-iinfo', /[^]/],
    body: /_Incapsula_Resource|Incapsula incident ID/i,
  },
  {
    product: 'F5',
    kind: 'firewall',
    body: /<title>Request Rejected<\/title>|The requested URL was rejected\. Please consult with your administrator/i,
  },
  {
    product: 'Akamai',
    kind: 'firewall',
    body: /<title>Access Denied<\/title>[^]{0,1500}Reference\s*(#|&#35;)|errors\.edgesuite\.net/i,
  },
  {
    product: 'AWS WAF',
    kind: 'bot-protection',
    header: ['x-amzn-waf-action', /./],
    body: /awswaf\.com|AwsWafIntegration|window\.gokuProps/i,
  },
  { product: 'AWS CloudFront', kind: 'firewall', body: /Request blocked\.\s[^]{0,400}(CloudFront|app or website)/i },
  { product: 'DataDome', kind: 'bot-protection', header: ['x-dd-b', /./], body: /captcha-delivery\.com/i },
  {
    product: 'PerimeterX (HUMAN)',
    kind: 'bot-protection',
    body: /px-captcha|"appId"\s*:\s*"PX\w+"|_pxAppId|perimeterx\.net/i,
  },
  {
    product: 'Sucuri',
    kind: 'firewall',
    header: ['x-sucuri-block', /./],
    body: /Sucuri WebSite Firewall|sucuri\.net\/privacy-policy/i,
  },
  { product: 'DDoS-Guard', kind: 'bot-protection', body: /<title>DDoS-Guard<\/title>|check\.ddos-guard\.net/i },
  {
    product: 'Vercel',
    kind: 'bot-protection',
    header: ['x-vercel-mitigated', /./],
    body: /<title>Vercel Security Checkpoint<\/title>/i,
  },
  {
    product: 'Zscaler',
    kind: 'portal',
    header: ['server', /^zscaler/i],
    body: /gateway\.zscaler|zscaler\.(net|com)\//i,
  },
  { product: 'FortiGuard', kind: 'portal', body: /FortiGuard|fgtauth|\/fgd_icon/i },
  { product: 'Palo Alto Networks', kind: 'portal', body: /<title>Web Page Blocked<\/title>/i },
  { product: 'Cisco Umbrella', kind: 'portal', body: /block\.opendns\.com|umbrella\.cisco\.com\/block/i },
  {
    product: 'A captive portal',
    kind: 'portal',
    body: /<WISPAccessGatewayParam|<title>[^<]{0,60}(captive portal|hotspot login|wi-?fi login)/i,
  },
  {
    product: 'A domain parking service',
    kind: 'parked',
    body: /sedoparking\.com|parkingcrew\.net|bodis\.com|<title>[^<]{0,80}(domain is for sale|parked domain|domain parking)|buy this domain|domain (name )?is parked/i,
  },
  {
    product: 'The host',
    kind: 'maintenance',
    body: /<(title|h1)[^>]{0,100}>[^<]{0,80}\b(maintenance|back soon|be right back|wartungsarbeiten)\b/i,
  },
];

/**
 * The product that responded instead of the host; null if nothing indicates one.
 * @param body the response, or its beginning
 */
export function interceptionOf({ headers }: Pick<Hop, 'headers'>, body: string): Interception | null {
  const text = body.slice(0, 20_000);
  const isPage = /^\s*[<{]|error code: \d/i.test(text);
  const form = FORMS.find((one) => {
    const value = one.header ? header(headers, one.header[0]) : null;
    if (value !== null && one.header?.[1].test(value) === true && one.product !== 'Imperva Incapsula') return true;
    return isPage && one.body?.test(text) === true;
  });
  return form === undefined ? null : { product: form.product, kind: form.kind };
}

interface Words {
  /** What the response is, to follow the name of the product. */
  is: string;
  advice: string;
  /** For a request to the API of a service; absent if it is the same. */
  apiAdvice?: string;
}

/** What a response of each kind means, and what to do. */
export const INTERCEPTIONS: Readonly<Record<InterceptionKind, Words>> = {
  'bot-protection': {
    is: 'challenges the client as a bot',
    advice:
      'Exempt the registry’s files from bot protection: clients of a registry are programs, which cannot solve a challenge.',
    apiAdvice:
      'Exempt the API of the service from bot protection: its clients are programs, which cannot solve a challenge.',
  },
  firewall: {
    is: 'blocks the request',
    advice:
      'Change the firewall rule of the host that blocks the request; the number in the response identifies it there.',
  },
  'origin-down': {
    is: 'cannot reach the server behind it',
    advice: 'Check that the server behind the CDN runs, accepts its connections, and has a valid certificate.',
  },
  maintenance: {
    is: 'responds with a maintenance page',
    advice:
      'Check again after the maintenance; serve the registry’s files during maintenance too, since they are static.',
    apiAdvice: 'Run the command again after the maintenance.',
  },
  parked: {
    is: 'responds for this domain',
    advice:
      'Check the host name for typos, and that the domain is still registered and points to the host of the registry.',
    apiAdvice: 'Check the host name for typos, and that the domain is still registered and points to the service.',
  },
  portal: {
    is: 'of this network responds instead of the host',
    advice: 'Sign in to that network, ask its operator to allow the host, or run the check from another network.',
    apiAdvice: 'Sign in to that network, ask its operator to allow the host, or run the command from another network.',
  },
};

/** `Cloudflare challenges the client as a bot` */
export function interceptionText({ product, kind }: Interception): string {
  return `${product} ${INTERCEPTIONS[kind].is}`;
}

/** What to do about such a response to a request to the API of a service. */
export function interceptionApiAdvice({ kind }: Interception): string {
  const { advice, apiAdvice = advice } = INTERCEPTIONS[kind];
  return apiAdvice;
}
