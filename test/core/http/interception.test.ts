import { expect, test } from 'vitest';
import { interceptionOf, INTERCEPTIONS } from '../../../src/core/http/interception.ts';

test.each<[string, string, [string, string][], string]>([
  ['Cloudflare', 'bot-protection', [['cf-mitigated', 'challenge']], ''],
  ['Cloudflare', 'bot-protection', [], '<!DOCTYPE html><html><head><title>Just a moment...</title>'],
  ['Cloudflare', 'firewall', [], 'error code: 1020'],
  ['Cloudflare', 'origin-down', [], '<html><title>example.com | 522: Connection timed out</title>'],
  ['Imperva Incapsula', 'bot-protection', [], '<html><script src="/_Incapsula_Resource?SWJIYLWA=719">'],
  ['F5', 'firewall', [], '<html><head><title>Request Rejected</title></head><body>The requested URL was rejected.'],
  ['Akamai', 'firewall', [], '<HTML><TITLE>Access Denied</TITLE><BODY>Reference&#32;&#35;18.2f3\nReference #18.2f3'],
  ['AWS WAF', 'bot-protection', [['x-amzn-waf-action', 'challenge']], ''],
  ['DataDome', 'bot-protection', [], '{"url":"https://geo.captcha-delivery.com/captcha/?initialCid=A"}'],
  ['PerimeterX (HUMAN)', 'bot-protection', [], '{"appId":"PXabc123","blockScript":"/x.js"}'],
  ['Sucuri', 'firewall', [], '<html><title>Sucuri WebSite Firewall - Access Denied</title>'],
  ['DDoS-Guard', 'bot-protection', [], '<html><head><title>DDoS-Guard</title>'],
  ['Vercel', 'bot-protection', [], '<html><title>Vercel Security Checkpoint</title>'],
  ['Zscaler', 'portal', [], '<html><a href="https://gateway.zscaler.net/x">'],
  ['FortiGuard', 'portal', [], '<html><b>FortiGuard Web Filtering</b>'],
  ['A domain parking service', 'parked', [], '<html><title>x.com - this domain is for sale</title>'],
  ['The host', 'maintenance', [], '<html><title>Site under maintenance</title>'],
])('%s: %s', (product, kind, headers, body) => {
  expect(interceptionOf({ headers }, body)).toEqual({ product, kind });
});

test.each<[string, [string, string][], string]>([
  ['a manifest', [], '{"apps":{"a":{"name":"Maintenance of Sucuri"}}}'],
  ['a page', [['server', 'cloudflare']], '<html><title>Not found</title>'],
  ['Imperva without a challenge', [['x-iinfo', '1-2-3']], '<html><title>Not found</title>'],
  ['a text', [], 'Just a moment...'],
])('%s is not intercepted', (_, headers, body) => {
  expect(interceptionOf({ headers }, body)).toBeNull();
});

test('every kind has words', () => {
  for (const { is, advice } of Object.values(INTERCEPTIONS)) expect(`${is} ${advice}`).toMatch(/.{20,}\.$/);
});
