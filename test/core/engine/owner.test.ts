import { describe, expect, test } from 'vitest';
import { withSteps } from '../../../src/core/engine/finding.ts';
import { ownerOf } from '../../../src/core/rules/lookup.ts';
import type { ResourceKind } from '../../../src/core/facts/facts.ts';
import type { Evidence } from '../../../src/core/values/evidence.ts';
import { rules } from '../../../src/core/rules/index.ts';
import type { Owner } from '../../../src/core/rules/owners.ts';
import { hop, probe, web } from '../../support/probes.ts';

type Case = [rule: string, cause: string | null, evidence: Evidence, owner: Owner];

const findingOf = (
  rule: string,
  cause: string | null = null,
  evidence: Evidence = {},
  resource: ResourceKind = 'manifest',
) => ({
  rule,
  cause,
  resource,
  evidence,
});

const COPY = { fromCache: 'age: 120' };
const CDN = { servedBy: 'Cloudflare' };

const CASES: Case[] = [
  ['file-missing', 'missing', {}, 'author'],
  ['file-name-differs', null, {}, 'author'],
  ['document-unreadable', 'trailing-comma', {}, 'author'],
  ['document-unreadable', 'html-page', {}, 'host'],
  ['document-unreadable', 'html-page', { page: 'sign-in' }, 'host'],
  ['document-unreadable', 'html-page', { page: 'app-shell' }, 'author'],
  ['document-unreadable', 'truncated', {}, 'author'],
  ['document-unreadable', 'truncated', COPY, 'cache'],
  ['document-oversized', 'depth', {}, 'author'],
  ['document-oversized', 'bytes', {}, 'host'],
  ['schema-violation', 'missing', {}, 'author'],
  ['schema-violation', 'error-message', {}, 'host'],
  ['schema-violation', 'error-message', { page: 'bot-protection' }, 'host'],
  ['schema-violation', 'error-message', { page: 'portal' }, 'user'],
  ['json-duplicate-key', null, {}, 'author'],
  ['json-byte-order-mark', null, {}, 'author'],
  ['property-unknown', null, {}, 'author'],
  ['text-empty', null, {}, 'author'],
  ['text-unprintable', null, {}, 'author'],
  ['app-key-unsafe', null, {}, 'author'],
  ['app-key-ambiguous', null, {}, 'author'],
  ['app-key-unportable', null, {}, 'author'],
  ['no-apps', null, {}, 'author'],
  ['no-apps', null, COPY, 'cache'],
  ['block-color-malformed', null, {}, 'author'],
  ['metadata-url-shared', null, {}, 'author'],
  ['url-malformed', null, {}, 'author'],
  ['url-port-blocked', null, {}, 'author'],
  ['url-insecure', null, {}, 'author'],
  ['url-unusual', null, {}, 'author'],
  ['url-unstable', null, {}, 'author'],
  ['url-signed-expiring', null, {}, 'author'],
  ['icon-suffix', null, {}, 'author'],
  ['artifact-suffix', null, {}, 'author'],
  ['version-not-semver', null, COPY, 'author'],
  ['version-not-plain', null, {}, 'author'],
  ['version-number-too-large', null, {}, 'author'],
  ['version-duplicate', null, {}, 'author'],
  ['no-valid-versions', null, {}, 'author'],
  ['checksum-malformed', 'uppercase', COPY, 'author'],
  ['checksum-placeholder', null, {}, 'author'],
  ['url-placeholder', 'template', {}, 'author'],
  ['url-of-page', 'file', {}, 'author'],
  ['artifact-url-shared', null, {}, 'author'],
  ['checksum-shared', null, {}, 'author'],
  ['metadata-orphaned', null, {}, 'author'],
  ['artifact-unlisted', null, {}, 'author'],
  ['base-url-mismatched', 'no-app', {}, 'author'],
  ['version-withdrawn', null, {}, 'author'],
  ['version-withdrawn', null, COPY, 'cache'],
  ['artifact-changed', null, {}, 'author'],
  ['artifact-moved', null, {}, 'author'],
  ['app-withdrawn', null, {}, 'author'],
  ['deployment-stale', 'version', {}, 'author'],
  ['workspace-behind', null, {}, 'author'],
  ['app-not-listed', 'absent', {}, 'author'],
  ['app-not-listed', 'absent', COPY, 'cache'],
  ['app-not-listed', 'differs-in-case', COPY, 'user'],
  ['version-not-listed', 'absent', {}, 'author'],
  ['version-not-listed', 'absent', COPY, 'cache'],
  ['unreachable', 'status-404', {}, 'author'],
  ['unreachable', 'status-404', COPY, 'cache'],
  ['unreachable', 'status-403', {}, 'host'],
  ['unreachable', 'status-503', CDN, 'host'],
  ['unreachable', 'status-304', {}, 'cache'],
  ['unreachable', 'status-407', {}, 'network'],
  ['unreachable', 'refused', {}, 'host'],
  ['unreachable', 'dns-not-found', {}, 'author'],
  ['unreachable', 'dns-failed', {}, 'host'],
  ['unreachable', 'dns-temporary', {}, 'network'],
  ['unreachable', 'captive-portal', {}, 'user'],
  ['unreachable', 'expects-tls', {}, 'author'],
  ['unreachable', 'proxy-refused', {}, 'network'],
  ['unreachable', 'connect-timeout', {}, 'network'],
  ['unreachable', 'signature-expired', {}, 'author'],
  ['unreachable', 'content-encoding-broken', {}, 'host'],
  ['unreachable', 'content-encoding-broken', CDN, 'cache'],
  ['unreachable', 'toString', {}, 'host'],
  ['tls-untrusted', 'expired', { issuer: "CN=R11, O=Let's Encrypt" }, 'host'],
  ['tls-untrusted', 'unknown-issuer', { issuer: 'CN=Zscaler Intermediate Root CA' }, 'network'],
  ['tls-untrusted', 'unknown-issuer', { issuer: 'CN=Acme', proxy: 'http://proxy:3128 (HTTPS_PROXY)' }, 'network'],
  ['tls-untrusted', 'expired', { proxy: 'http://proxy:3128 (HTTPS_PROXY)' }, 'host'],
  ['tls-untrusted', 'private-ca', {}, 'service'],
  ['tls-expiring', null, {}, 'host'],
  ['tls-browser-unsupported', 'key', {}, 'host'],
  ['tls-browser-unsupported', 'key', { issuer: 'CN=Zscaler Intermediate Root CA' }, 'network'],
  ['url-moved', null, {}, 'author'],
  ['last-modified-only', null, {}, 'host'],
  ['etag-unstable', null, {}, 'host'],
  ['not-modified-incorrect', null, {}, 'host'],
  ['not-modified-incorrect', null, CDN, 'cache'],
  ['redirect-insecure', null, {}, 'host'],
  ['redirect-excessive', 'loop', {}, 'host'],
  ['unsolicited-continue', null, {}, 'host'],
  ['conditional-request-rejected', null, {}, 'host'],
  ['head-refused', null, {}, 'host'],
  ['range-request-unanswered', null, {}, 'host'],
  ['cors-head-refused', 'absent', {}, 'host'],
  ['cors-revalidation-refused', 'null', {}, 'host'],
  ['cors-revalidation-refused', 'null', { age: '60' }, 'cache'],
  ['browser-refused', 'fetch-metadata', {}, 'host'],
  ['compressed-copy-unreadable', 'broken', {}, 'host'],
  ['compressed-copy-differs', 'older', { age: '60' }, 'cache'],
  ['compressed-copy-not-varied', 'vary', {}, 'host'],
  ['answers-differ', 'intermittent', {}, 'host'],
  ['rate-limited', null, {}, 'host'],
  ['host-limits-requests', null, {}, 'host'],
  ['exception-unused', 'no-finding', {}, 'author'],
  ['service-not-looked-yet', 'before', {}, 'service'],
  ['service-not-looked-yet', 'older-copy', {}, 'cache'],
  ['service-first-seen-differs', null, {}, 'author'],
  ['service-refused', 'repeatedly', {}, 'host'],
  ['service-refused', 'credentials', {}, 'user'],
  ['service-disagrees', 'app-hidden', {}, 'service'],
  ['service-disagrees', 'version-offered', {}, 'author'],
  ['service-policy', 'suspended', {}, 'service'],
  ['host-intermittent', null, {}, 'host'],
  ['addresses-differ', 'expired', {}, 'host'],
  ['cors-missing', 'absent', {}, 'host'],
  ['cors-missing', 'absent', CDN, 'host'],
  ['cors-missing', 'absent', { age: '12' }, 'cache'],
  ['cors-invalid', 'list', {}, 'host'],
  ['cors-origin-refused', 'other-origin', COPY, 'cache'],
  ['cors-preflight-refused', null, COPY, 'host'],
  ['cors-not-varied', null, {}, 'host'],
  ['cors-wildcard', 'star', {}, 'host'],
  ['content-type-wrong', null, {}, 'host'],
  ['cache-lifetime-long', 'long', COPY, 'host'],
  ['cache-lifetime-long', 'stale-copy', COPY, 'cache'],
  ['cache-lifetime-missing', null, {}, 'host'],
  ['content-encoded', null, {}, 'host'],
  ['content-encoded', null, CDN, 'cache'],
  ['artifact-checksum-mismatch', 're-encoded', {}, 'host'],
  ['artifact-checksum-mismatch', 're-encoded', CDN, 'cache'],
  ['artifact-checksum-mismatch', 'sha1-listed', COPY, 'author'],
  ['artifact-checksum-mismatch', 'other-bytes', {}, 'author'],
  ['artifact-checksum-mismatch', 'other-bytes', COPY, 'cache'],
  ['artifact-checksum-mismatch', 'html-page', {}, 'host'],
  ['artifact-bomb', null, {}, 'author'],
  ['artifact-not-tar-gz', null, {}, 'author'],
  ['artifact-unsafe-entry', null, {}, 'author'],
  ['artifact-no-app', 'absent', {}, 'author'],
  ['artifact-secret', null, {}, 'author'],
  ['artifact-leftover', null, {}, 'author'],
  ['package-vulnerable', null, {}, 'author'],
  ['artifact-trailing-data', null, {}, 'author'],
  ['attestation-missing', null, {}, 'author'],
  ['about-invalid', 'fault', {}, 'author'],
  ['replacement-invalid', 'not-listed', {}, 'author'],
  ['about-version-unknown', null, {}, 'author'],
  ['all-versions-deprecated', null, {}, 'author'],
  ['attestation-lost', 'removed', {}, 'author'],
  ['attestation-invalid', 'signature', {}, 'author'],
  ['attestation-invalid', 'root-outdated', {}, 'user'],
  ['attestation-other-version', null, {}, 'author'],
  ['attestation-identity', 'repository', {}, 'author'],
  ['icon-not-image', 'jpeg', {}, 'author'],
  ['icon-not-image', 'html', {}, 'host'],
  ['icon-type-wrong', null, {}, 'host'],
  ['icon-embedding-refused', null, {}, 'host'],
  ['icon-response-invalid', 'not-http', {}, 'host'],
  ['icon-oversized', null, {}, 'author'],
  ['icon-svg-active', null, {}, 'author'],
];

describe('the owner of a finding', () => {
  test.each(CASES)('%s %s %j: %s', (rule, cause, evidence, owner) => {
    expect(ownerOf(findingOf(rule, cause, evidence))).toBe(owner);
  });

  test('every rule has a case', () => {
    const tried = new Set(CASES.map(([rule]) => rule));
    expect(rules.map((rule) => rule.id).filter((id) => !tried.has(id))).toEqual([]);
  });

  test('the owner of an unknown rule is the author', () => expect(ownerOf(findingOf('toString'))).toBe('author'));
});

describe('the steps before and after the advice', () => {
  test.each<[string, string | null, Evidence, RegExp]>([
    ['cors-missing', 'absent', {}, /^Fix it\.$/],
    ['cors-missing', 'absent', COPY, /^Fix it\. Then purge .*check again\.$/],
    ['unreachable', 'status-404', COPY, /purge the cache, .* Fix it\.$/],
    ['artifact-checksum-mismatch', 're-encoded', CDN, /^Fix it\.$/],
    ['artifact-checksum-mismatch', 're-encoded', COPY, /^Fix it\. Then purge/],
    ['artifact-checksum-mismatch', 'other-bytes', COPY, /purge the cache, .* Fix it\.$/],
    ['artifact-checksum-mismatch', 'sha1-listed', COPY, /^Fix it\.$/],
    ['tls-untrusted', 'unknown-issuer', { issuer: 'O=Fortinet' }, /another network.* Fix it\.$/],
    ['tls-untrusted', 'unknown-issuer', { issuer: 'O=Acme' }, /^Fix it\.$/],
    ['tls-untrusted', 'unknown-issuer', { issuer: 'O=Acme', proxy: 'http://proxy:3128' }, /^Fix it\.$/],
  ])('are added to %s %s %j', (rule, cause, evidence, words) => {
    expect(withSteps({ ...findingOf(rule, cause, evidence), advice: 'Fix it.' }, null)).toMatch(words);
  });

  test('include purging the cache if the response came from a cache', () => {
    const finding = { ...findingOf('unreachable', 'status-404'), advice: 'Fix it.' };
    expect(withSteps(finding, web(probe(hop({ 'x-cache': 'HIT' }))))).toMatch(/purge the cache/);
  });
});
