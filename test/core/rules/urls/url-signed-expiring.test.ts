import { urlSignedExpiring } from '../../../../src/core/rules/urls/url-signed-expiring.ts';
import { urlFacts } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const NOW = '2026-03-01T12:00:00.000Z';
const withQuery = (query: string, resource: 'artifact' | 'manifest' = 'artifact') =>
  urlFacts(resource, `https://x.test/a?${query}`, NOW);
const seconds = (iso: string): number => Date.parse(iso) / 1000;
const aws = (date: string, length: number): string =>
  `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=${date}&X-Amz-Expires=${length}&X-Amz-SignedHeaders=host&X-Amz-Signature=00ff`;

ruleTable(urlSignedExpiring, {
  clean: [
    ['no query', urlFacts('artifact', 'https://x.test/a', NOW)],
    ['a signature without an end', withQuery('sig=abc')],
    ['a policy without an end in the query', withQuery('Policy=abc&Signature=x&Key-Pair-Id=K')],
    ['an end without a signature', withQuery('Expires=1')],
    ['se without a signature', withQuery('se=2020-01-01')],
    ['X-Amz-Expires without a date', withQuery('X-Amz-Expires=60&X-Amz-Signature=00')],
    ['an invalid date', withQuery('X-Amz-Date=yesterday&X-Amz-Expires=60&X-Amz-Signature=00')],
    ['an invalid end', withQuery('Expires=never&Signature=x')],
    ['an end beyond the range of dates', withQuery('Expires=99999999999999999&Signature=x')],
  ],
  faulty: [
    [
      'SigV4, one hour',
      withQuery(aws('20260301T113000Z', 3600)),
      {
        severity: 'warning',
        cause: 'expiring',
        message: '2026-03-01T12:30:00.000Z',
        evidence: { expires: '2026-03-01T12:30:00.000Z', scheme: 'AWS SigV4' },
      },
    ],
    [
      'SigV4, over',
      withQuery(aws('20260301T105959Z', 3600)),
      { severity: 'error', cause: 'expired', message: 'expired at 2026-03-01T11:59:59.000Z' },
    ],
    [
      'SigV4, over at this very moment',
      withQuery(aws('20260301T110000Z', 3600)),
      { severity: 'error', cause: 'expired' },
    ],
    [
      'Google V4',
      withQuery('X-Goog-Date=20260301T115900Z&X-Goog-Expires=604800&X-Goog-Signature=00'),
      { severity: 'warning', evidence: { expires: '2026-03-08T11:59:00.000Z', scheme: 'Google V4' } },
    ],
    [
      'CloudFront',
      withQuery(`Expires=${seconds('2027-01-01T00:00:00Z')}&Signature=x&Key-Pair-Id=K`),
      { severity: 'warning', evidence: { expires: '2027-01-01T00:00:00.000Z', scheme: 'Expires' } },
    ],
    [
      'S3’s older signature',
      withQuery(`AWSAccessKeyId=A&Expires=${seconds('2025-01-01T00:00:00Z')}&Signature=x`),
      { severity: 'error', cause: 'expired' },
    ],
    [
      'Google’s older signature',
      withQuery(`GoogleAccessId=a&Expires=${seconds('2026-03-02T00:00:00Z')}&Signature=x`),
      { severity: 'warning' },
    ],
    [
      'Azure',
      withQuery('sv=2022-11-02&se=2026-03-31T00:00:00Z&sr=b&sp=r&sig=x', 'manifest'),
      {
        severity: 'warning',
        message: 'manifest',
        evidence: { expires: '2026-03-31T00:00:00.000Z', scheme: 'Azure SAS' },
      },
    ],
    [
      'Azure, a day alone',
      withQuery('se=2026-02-28&sig=x'),
      { severity: 'error', evidence: { expires: '2026-02-28T00:00:00.000Z', scheme: 'Azure SAS' } },
    ],
    [
      'Azure without a zone is UTC wherever this runs',
      withQuery('se=2026-03-31T00:00:00&sig=x'),
      { evidence: { expires: '2026-03-31T00:00:00.000Z', scheme: 'Azure SAS' } },
    ],
    [
      'names in lower case',
      withQuery('x-amz-date=20260301T113000Z&x-amz-expires=60&x-amz-signature=00'),
      { severity: 'error' },
    ],
  ],
});
