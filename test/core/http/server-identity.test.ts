import { expect, test } from 'vitest';
import type { Evidence } from '../../../src/core/values/evidence.ts';
import { serverEvidence } from '../../../src/core/http/server-identity.ts';

const from = (headers: [string, string][]): Evidence =>
  serverEvidence({ url: 'https://apps.example.com/a', status: 200, headers, address: null, tls: null });

test.each<[string, [string, string][], Evidence]>([
  ['no headers', [], {}],
  ['what the host calls itself', [['server', 'nginx/1.27']], { servedBy: 'nginx/1.27' }],
  [
    'Cloudflare, held',
    [
      ['server', 'cloudflare'],
      ['cf-ray', '8a1b-FRA'],
      ['cf-cache-status', 'HIT'],
      ['age', '300'],
    ],
    { servedBy: 'Cloudflare', fromCache: 'age: 300, cf-cache-status: HIT' },
  ],
  [
    'Cloudflare, passed on',
    [
      ['cf-ray', 'x'],
      ['cf-cache-status', 'DYNAMIC'],
    ],
    { servedBy: 'Cloudflare' },
  ],
  [
    'CloudFront in front of S3',
    [
      ['server', 'AmazonS3'],
      ['x-cache', 'Hit from cloudfront'],
      ['x-amz-cf-id', 'x'],
    ],
    { servedBy: 'Amazon CloudFront', fromCache: 'x-cache: Hit from cloudfront' },
  ],
  [
    'CloudFront, passed on',
    [
      ['x-cache', 'Miss from cloudfront'],
      ['x-amz-cf-id', 'x'],
    ],
    { servedBy: 'Amazon CloudFront' },
  ],
  ['S3 by itself', [['server', 'AmazonS3']], { servedBy: 'Amazon S3' }],
  [
    'GitHub Pages, through two layers',
    [
      ['server', 'GitHub.com'],
      ['via', '1.1 varnish'],
      ['x-served-by', 'cache-fra-1'],
      ['x-cache', 'MISS, HIT'],
    ],
    { servedBy: 'GitHub Pages', fromCache: 'x-cache: MISS, HIT' },
  ],
  [
    'a cache that fails to hold',
    [
      ['x-cache', 'MISS'],
      ['age', '0'],
    ],
    {},
  ],
  ['an invalid age', [['age', '-5']], {}],
  [
    'Akamai',
    [
      ['x-cache', 'TCP_MEM_HIT from a1.akamai.net'],
      ['server', 'AkamaiGHost'],
    ],
    { servedBy: 'Akamai', fromCache: 'x-cache: TCP_MEM_HIT from a1.akamai.net' },
  ],
  [
    'RFC 9211',
    [
      ['cache-status', '"Netlify Edge"; hit'],
      ['x-nf-request-id', 'x'],
    ],
    { servedBy: 'Netlify', fromCache: 'cache-status: "Netlify Edge"; hit' },
  ],
  ['RFC 9211, passed on', [['cache-status', '"Netlify Edge"; fwd=miss']], {}],
  ['Varnish by its two numbers', [['x-varnish', '32770 3']], { servedBy: 'Varnish', fromCache: 'x-varnish: 32770 3' }],
  ['Varnish by its one', [['x-varnish', '32770']], { servedBy: 'Varnish' }],
])('the headers identify the server: %s', (_, headers, evidence) => expect(from(headers)).toEqual(evidence));

test('a missing response has no evidence', () => expect(serverEvidence(null)).toEqual({}));
