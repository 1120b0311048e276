import { describe, expect, test } from 'vitest';
import { companionPath, companionState, companionUrl } from '../../../src/core/registry/companion.ts';

const text = (head: string): Uint8Array => new TextEncoder().encode(head);

describe('the URL of a companion file', () => {
  test.each([
    ['https://a.example/c-1.0.0.tar.gz', 'https://a.example/c-1.0.0.tar.gz.sigstore.json'],
    ['https://a.example/c.tar.gz?v=2&token=abc', 'https://a.example/c.tar.gz.sigstore.json?v=2&token=abc'],
    ['https://a.example/c.tar.gz?path=/x.gz', 'https://a.example/c.tar.gz.sigstore.json?path=/x.gz'],
    ['https://a.example/c.tar.gz#part', 'https://a.example/c.tar.gz.sigstore.json'],
    ['https://A.example/%63.tar.gz', 'https://A.example/%63.tar.gz.sigstore.json'],
  ])('%s', (url, expected) => {
    expect(companionUrl(url, 'attestation')).toBe(expected);
  });

  test.each([
    ['SigV4', 'X-Amz-Date=20260101T000000Z&X-Amz-Expires=60&X-Amz-Signature=abcd'],
    ['the older S3', 'AWSAccessKeyId=A&Expires=1767225600&Signature=abc%3D'],
    ['SAS', 'sv=2022-11-02&se=2026-01-01T00%3A00%3A00Z&sr=b&sp=r&sig=abc%3D'],
    ['Google V4', 'X-Goog-Date=20260101T000000Z&X-Goog-Expires=60&X-Goog-Signature=abcd'],
    ['CloudFront', 'Expires=1767225600&Signature=abc&Key-Pair-Id=K'],
    ['CloudFront with a policy', 'Policy=eyJTdGF0ZW1lbnQi&Signature=abc&Key-Pair-Id=K'],
    ['a signature without an end', 'sig=abc'],
  ])('%s: a signed URL has none', (_, query) => {
    expect(companionUrl(`https://a.example/c.tar.gz?${query}`, 'sbom')).toBeNull();
  });

  test('an invalid URL has none', () => {
    expect(companionUrl('c.tar.gz', 'sbom')).toBeNull();
  });

  test('a path gets the same suffix', () => {
    expect(companionPath('apps/c/1.0.0.tar.gz', 'sbom')).toBe('apps/c/1.0.0.tar.gz.cdx.json');
  });
});

describe('a response', () => {
  test.each<[number | null, string, string]>([
    [200, '{"mediaType":', 'present'],
    [200, '', 'present'],
    [200, '<!doctype html><title>App</title>', 'absent'],
    [404, '', 'absent'],
    [403, '<Error/>', 'absent'],
    [410, '', 'absent'],
    [401, '', 'unknown'],
    [429, '', 'unknown'],
    [500, '', 'unknown'],
    [503, '<html>', 'unknown'],
    [null, '', 'unknown'],
  ])('%s with “%s” means %s', (status, head, state) => {
    expect(companionState({ status, head: text(head) })).toBe(state);
  });
});
