import { describe, expect, test } from 'vitest';
import type { Snapshot } from '../../../src/core/facts/facts.ts';
import { checksum } from '../../support/core-facts.ts';
import { BASE, entry, metadataWith, snapshot } from '../../support/snapshots.ts';
import { lint, severityAndRule, version, app, metadata } from './judge-fixture.ts';

/** One fault is one error, which names everything else it affects. */

describe('one fault is one error', () => {
  const table: [name: string, facts: Snapshot, expected: string[]][] = [
    ['an empty manifest file', snapshot(''), ['error document-unreadable empty']],
    ['a manifest that is a page', snapshot('<html><title>x</title>'), ['error document-unreadable html-page']],
    ['a comma too many', snapshot('{"apps":{},}'), ['error document-unreadable trailing-comma']],
    ['100,000 levels', snapshot(`{"apps":{},"x":${'['.repeat(100_000)}`), ['error document-oversized depth']],
    ['a manifest of the wrong type', snapshot('null'), ['error schema-violation wrong-type']],
    ['metadata instead of the manifest', snapshot(metadataWith('1.0.0')), ['error schema-violation metadata-file']],
    [
      'a byte order mark',
      snapshot(`\ufeff${JSON.stringify({ apps: { a: entry('a') } })}`),
      ['warning json-byte-order-mark'],
    ],
    [
      'half a surrogate pair in a name',
      snapshot(JSON.stringify({ apps: { a: entry('a', { name: 'x' }) } }).replace('"x"', '"\\ud800"')),
      ['error document-unreadable lone-surrogate'],
    ],
    [
      'an app twice',
      snapshot(`{"apps":{"a":${JSON.stringify(entry('a'))},"a":${JSON.stringify(entry('a'))}}}`),
      ['error json-duplicate-key'],
    ],
    ['an entry that is null', snapshot({ apps: { a: null } }), ['error schema-violation wrong-type']],
    ['no name', app({ name: undefined }), ['error schema-violation missing']],
    ['a blank name', app({ name: '\u200b' }), ['warning text-empty']],
    ['a name that turns the line around', app({ name: 'a\u202eb' }), ['warning text-unprintable']],
    ['no metadata URL', app({ appMetadataUrl: undefined }), ['error schema-violation missing']],
    ['a relative metadata URL', app({ appMetadataUrl: 'versions.json' }), ['error url-malformed relative']],
    ['a metadata URL over http', app({ appMetadataUrl: 'http://x.test/a.json' }), ['error url-insecure http']],
    [
      'white space around a metadata URL',
      app({ appMetadataUrl: ' https://x.test/a.json' }),
      ['error url-malformed whitespace'],
    ],
    [
      'an icon as a data URL',
      app({ blockStyle: { iconUrl: 'data:image/png;base64,AA', color: '#112233' } }),
      ['error url-malformed scheme'],
    ],
    [
      'an icon with a password',
      app({ blockStyle: { iconUrl: 'https://u:p@x.test/i.svg', color: '#112233' } }),
      ['error url-malformed userinfo'],
    ],
    [
      'a colour by name',
      app({ blockStyle: { iconUrl: `${BASE}i.svg`, color: 'red' } }),
      ['error block-color-malformed'],
    ],
    ['no colour', app({ blockStyle: { iconUrl: `${BASE}i.svg` } }), ['error schema-violation missing']],
    ['an unsafe key', snapshot(['a/b']), ['error app-key-unsafe']],
    ['an empty metadata file', metadata(''), ['error document-unreadable empty']],
    ['the manifest as metadata', metadata({ apps: {} }), ['error schema-violation manifest-file']],
    ['no versions field', metadata({}), ['error schema-violation missing']],
    ['no versions', metadata({ versions: [] }), ['warning no-valid-versions empty']],
    ['versions that are not objects', metadata({ versions: [null] }), ['error schema-violation wrong-type']],
    [
      'a version that is a number',
      metadata({ versions: [version({ version: 1 })] }),
      ['error schema-violation wrong-type'],
    ],
    [
      'an upper-case checksum',
      metadata({ versions: [version({ artifactChecksum: checksum(1).toUpperCase().replace('SHA', 'sha') })] }),
      ['error checksum-malformed uppercase'],
    ],
    [
      'a placeholder',
      metadata({ versions: [version({ artifactChecksum: '' })] }),
      ['error checksum-malformed placeholder'],
    ],
    [
      'zeros',
      metadata({ versions: [version({ artifactChecksum: `sha256:${'0'.repeat(64)}` })] }),
      ['error checksum-placeholder zeros'],
    ],
    [
      'no checksum',
      metadata({ versions: [version({ artifactChecksum: undefined })] }),
      ['error schema-violation missing'],
    ],
    [
      'one bad version among good ones',
      metadata({
        versions: [
          version(),
          version({ version: 'v2', artifactUrl: `${BASE}2.tar.gz`, artifactChecksum: checksum(2) }),
        ],
      }),
      ['error version-not-semver'],
    ],
    [
      'the same version twice',
      metadata({ versions: [version(), version()] }),
      ['error version-duplicate same-checksum'],
    ],
    [
      'one URL for two versions',
      metadata({ versions: [version(), version({ version: '2.0.0', artifactChecksum: checksum(2) })] }),
      ['error artifact-url-shared other-checksum'],
    ],
    [
      'one URL and one checksum for two versions',
      metadata({ versions: [version(), version({ version: '2.0.0' })] }),
      ['warning artifact-url-shared same-checksum'],
    ],
    [
      'an artifact URL with a fragment',
      metadata({ versions: [version({ artifactUrl: `${BASE}1.tar.gz#x` })] }),
      ['warning url-unusual fragment'],
    ],
    ['a zip', metadata({ versions: [version({ artifactUrl: `${BASE}1.zip` })] }), ['warning artifact-suffix']],
    ['no apps', snapshot({ apps: {} }), ['note no-apps']],
    ['an orphan', { ...snapshot(['a']), orphans: ['apps/z/versions.json'] }, ['note metadata-orphaned']],
  ];
  test.each(table)('%s', (_, facts, expected) => expect(severityAndRule(lint(facts))).toEqual(expected));

  test('an invalid version also causes an error about the app if it is the only one', () => {
    expect(severityAndRule(lint(metadata({ versions: [version({ version: 'v1.0.0' })] })))).toEqual([
      'error no-valid-versions all-invalid',
      'error version-not-semver',
    ]);
  });

  test('one run reports all problems', () => {
    const report = lint(
      snapshot(
        { apps: { a: entry('a', { name: 1 }), 'b c': entry('b'), d: entry('d', { appMetadataUrl: 'x' }) }, extra: 1 },
        { b: '{', d: metadataWith('1') },
      ),
    );
    expect(new Set(report.findings.map((f) => f.rule))).toEqual(
      new Set([
        'schema-violation',
        'property-unknown',
        'app-key-unsafe',
        'url-malformed',
        'version-not-semver',
        'no-valid-versions',
      ]),
    );
  });
});
