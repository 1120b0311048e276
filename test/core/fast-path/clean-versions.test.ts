import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { documentContent } from '../../../src/core/json/json.ts';
import { judge } from '../../../src/core/engine/judge.ts';
import type { DocumentContent, Snapshot, Missing } from '../../../src/core/facts/facts.ts';
import type { VersionEntry } from '../../../src/core/rules/subjects.ts';
import { rules } from '../../../src/core/rules/index.ts';
import { urlParts } from '../../../src/core/http/url.ts';
import { isBeyondDoubt } from '../../support/rule-table.ts';
import { hop, probe, tls, web } from '../../support/probes.ts';
import { runs } from '../../support/property-runs.ts';
import { contentWith } from '../../support/snapshots.ts';

const HEX = '7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730';

function entry(index: number, fields: Partial<VersionEntry> = {}): VersionEntry {
  return {
    index,
    version: `1.${index}.0`,
    artifactUrl: `https://apps.example.com/echo/versions/1.${index}.0.tar.gz`,
    artifactChecksum: `sha256:${index}${HEX.slice(1)}`,
    ...fields,
  };
}

/** The rules about versions and their URLs that have a finding, except those that compare with a baseline. */
function findings(entries: readonly VersionEntry[]): string[] {
  const found: string[] = [];
  for (const rule of rules) {
    if (rule.needs.includes('earlier')) continue;
    const note = (facts: object): void => {
      const result: unknown = rule.check(facts);
      if (Array.isArray(result) ? result.length > 0 : result) found.push(rule.id);
    };
    if (rule.on === 'metadata') note({ versions: entries, listed: entries.length, requestedVersion: null, copyAge: 0 });
    for (const { index, version, artifactUrl: url, artifactChecksum: checksum } of entries) {
      if (rule.on === 'version') note({ index, version, checksum, all: entries, served: null });
      if (rule.on === 'url')
        note({ resource: 'artifact', url, parsed: urlParts(url ?? ''), now: '2026-11-21T00:00:00.000Z' });
    }
  }
  return found;
}

/** The usual one, and now and then another. */
function mostly(usual: string, ...others: string[]): fc.Arbitrary<string> {
  return fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
}

function textOf(value: unknown): DocumentContent {
  return documentContent(new TextEncoder().encode(JSON.stringify(value)));
}

/** The hexadecimal digest of a version in a metadata file. */
function checksumIn(content: DocumentContent | Missing, index: number): string {
  const { versions } = JSON.parse('text' in content ? (content.text ?? '') : '') as {
    versions: Record<string, string>[];
  };
  return versions[index]?.['artifactChecksum']?.replace('sha256:', '') ?? '';
}

describe('the screening of versions', () => {
  test('accepts ordinary versions', () => {
    expect(isBeyondDoubt([entry(0), entry(1), entry(2)])).toBe(true);
  });

  test('accepts a digest that begins like a placeholder', () => {
    expect(isBeyondDoubt([entry(0, { artifactChecksum: `sha256:${'0'.repeat(40)}${HEX.slice(40)}` })])).toBe(true);
  });

  test.each<[string, VersionEntry[]]>([
    ['no version at all', []],
    ['an invalid version', [entry(0, { version: 'v1.0.0' })]],
    ['a pre-release', [entry(0, { version: '1.0.0-rc.1' })]],
    ['a date for a version', [entry(0, { version: '202611211.0.0' })]],
    ['no checksum', [entry(0, { artifactChecksum: null })]],
    ['a checksum in capitals', [entry(0, { artifactChecksum: `sha256:${HEX.toUpperCase()}` })]],
    ['zeros', [entry(0, { artifactChecksum: `sha256:${'0'.repeat(64)}` })]],
    ['a part that is repeated', [entry(0, { artifactChecksum: `sha256:${'deadbeef'.repeat(8)}` })]],
    ['all digits in their order', [entry(0, { artifactChecksum: `sha256:${'0123456789abcdef'.repeat(4)}` })]],
    [
      'the digest of nothing',
      [
        entry(0, {
          artifactChecksum: 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
        }),
      ],
    ],
    ['http', [entry(0, { artifactUrl: 'http://apps.example.com/a.tar.gz' })]],
    ['a signature', [entry(0, { artifactUrl: 'https://apps.example.com/a.tar.gz?Expires=1' })]],
    ['a zip', [entry(0, { artifactUrl: 'https://apps.example.com/a.zip' })]],
    ['a branch', [entry(0, { artifactUrl: 'https://raw.githubusercontent.com/a/b/main/a.tar.gz' })]],
    [
      'latest behind a usual folder',
      [entry(0), entry(1, { artifactUrl: 'https://apps.example.com/echo/versions/latest.tar.gz' })],
    ],
    ['one version twice', [entry(0), entry(1, { version: '1.0.0' })]],
    ['one URL twice', [entry(0), entry(1, { artifactUrl: entry(0).artifactUrl })]],
    ['one checksum twice', [entry(0), entry(1, { artifactChecksum: entry(0).artifactChecksum })]],
  ])('rejects %s', (_, entries) => {
    expect(isBeyondDoubt(entries)).toBe(false);
  });

  test('accepts only versions without findings', () => {
    const number = fc.oneof(
      { weight: 8, arbitrary: fc.nat(30) },
      fc.nat(),
      fc.constantFrom('0', '01', '99999999', '100000000', '9007199254740993'),
    );
    const version = fc.oneof(
      fc.tuple(number, number, number).map((parts) => parts.join('.')),
      fc.constantFrom('1.0', 'v1.0.0', '1.0.0+1', '1.0.0-a', '1.0.0 '),
    );
    const words =
      'latest nightly current main raw blob refs heads archive tarball get edge snapshot v1 apps gh o 1.0.0'.split(' ');
    const hosts =
      'apps.example.com github.com codeload.github.com api.github.com raw.githubusercontent.com bitbucket.org gitlab.com cdn.jsdelivr.net example.com. a_b.com xn--a.com 1.2.3.4 127.0.0.1:34005 a.b:8443 a.b:443 a.b:6667 1.2.3.256'.split(
        ' ',
      );
    const url = fc
      .tuple(
        mostly('https://', 'http://', 'https:/', ''),
        mostly('apps.example.com', ...hosts),
        fc.array(mostly('v1.0.0', ...words, '', '..', '-', 'a b'), { maxLength: 4 }),
        mostly('app-1.0.0', ...words, 'a'),
        mostly('.tar.gz', '.tgz', '.zip', '', '.tar.gz?sig=1', '.tar.gz#a'),
      )
      .map(([scheme, host, path, name, suffix]) => `${scheme}${[host, ...path, name].join('/')}${suffix}`);
    const digest = fc.oneof(
      fc.integer({ min: 0, max: 9 }).map((n) => `sha256:${n}${HEX.slice(1)}`),
      fc.constantFrom('0', '12', '0123', 'cafebabe').map((part) => `sha256:${part.repeat(64 / part.length)}`),
      fc.constantFrom('sha256:unknown', `SHA256:${HEX}`, HEX),
    );
    let passed = 0;
    fc.assert(
      fc.property(fc.array(fc.tuple(version, url, digest), { minLength: 1, maxLength: 3 }), (list) => {
        const entries = list.map(([v, artifactUrl, artifactChecksum], index) => ({
          index,
          version: v,
          artifactUrl,
          artifactChecksum,
        }));
        if (!isBeyondDoubt(entries)) return;
        passed++;
        expect(findings(entries)).toEqual([]);
      }),
      { numRuns: runs(30_000) },
    );
    expect(passed).toBeGreaterThan(runs(100));
  });
});

describe('a large registry', () => {
  const OFFLINE: Missing = { missing: { code: 'offline' }, runWide: true };
  const ELSEWHERE: Missing = { missing: { code: 'not-in-workspace' } };

  interface Parts {
    entry: Record<string, unknown>;
    versions: Record<string, unknown>[];
  }
  const FAULTS: Record<string, (parts: Parts) => void> = {
    'no version': ({ versions }) => Object.assign(versions[3] ?? {}, { version: 'v1.3.0' }),
    'a version twice': ({ versions }) => versions.push({ ...versions[0] }),
    'a field more': ({ versions }) => Object.assign(versions[0] ?? {}, { sha256: '' }),
    'no checksum': ({ versions }) => Object.assign(versions[1] ?? {}, { artifactChecksum: 'sha256:unknown' }),
    'a URL that moves': ({ versions }) =>
      Object.assign(versions[1] ?? {}, { artifactUrl: 'https://apps.example.com/latest.tar.gz' }),
    'no versions': ({ versions }) => void versions.splice(0),
    'one version': ({ versions }) => void versions.splice(1),
    'no name': ({ entry }) => Object.assign(entry, { name: '' }),
    emoji: ({ entry }) => Object.assign(entry, { name: '🎉' }),
    'no description': ({ entry }) => void delete entry['description'],
    'a colour by name': ({ entry }) => Object.assign(entry['blockStyle'] as object, { color: 'red' }),
    'another’s metadata': ({ entry }) =>
      Object.assign(entry, { appMetadataUrl: 'https://apps.example.com/app-1/versions.json' }),
    'an extension': ({ entry }) => Object.assign(entry, { 'x-note': 1 }),
  };

  /** @param faults the index of an app and the name of its fault */
  function snapshot(apps: number, faults: readonly (readonly [number, string])[]): Snapshot {
    const keys = Array.from({ length: apps }, (_, i) => `app-${i}`);
    const parts = keys.map((key, i): Parts => {
      const entry = {
        name: 'Echo',
        description: 'Says it again.',
        blockStyle: { iconUrl: `https://apps.example.com/${key}/icon.svg`, color: '#1a73e8' },
        appMetadataUrl: `https://apps.example.com/${key}/versions.json`,
      };
      const versions = Array.from({ length: 4 + (i % 3) }, (_, n) => ({
        version: `1.${n}.0`,
        artifactUrl: `https://apps.example.com/${key}/1.${n}.0.tar.gz`,
        artifactChecksum: `sha256:${n}${HEX.slice(1)}`,
      }));
      for (const [app, fault] of faults) if (app === i) FAULTS[fault]?.({ entry, versions });
      return { entry, versions };
    });
    const nothing = { file: null, web: OFFLINE };
    return {
      snapshot: 1,
      target: '.',
      seenAt: '2026-11-21T00:00:00.000Z',
      origins: [],
      orphans: [],
      manifest: {
        ...nothing,
        url: null,
        content: textOf({ apps: Object.fromEntries(keys.map((key, i) => [key, parts[i]!.entry])) }),
      },
      apps: keys.map((key, i) => {
        const { versions } = parts[i]!;
        const url = `https://apps.example.com/${key}/versions.json`;
        return {
          key,
          metadata: { ...nothing, url, content: textOf({ versions }) },
          icon: { ...nothing, url: `https://apps.example.com/${key}/icon.svg`, content: ELSEWHERE, image: ELSEWHERE },
          artifacts: versions.map(({ artifactUrl }) => ({
            ...nothing,
            url: artifactUrl as string,
            content: ELSEWHERE,
            archive: ELSEWHERE,
          })),
        };
      }),
    };
  }

  /** Everything that is not judged is listed for 200 apps; from then on the fast path only counts it. */
  const APPS = 220;

  // A list of rules in the options disables the fast path.
  test.each(Object.keys(FAULTS))('has the same report with and without the fast path: %s', (fault) => {
    for (const app of [0, 1, 210]) {
      const facts = snapshot(APPS, [[app, fault]]);
      expect(judge(facts, { command: 'lint' })).toEqual(judge(facts, { command: 'lint', rules }));
    }
  });

  test.each(Object.keys(FAULTS))('has the same findings before it is published: %s', (fault) => {
    const [before, after] = [{ ...snapshot(3, [[1, fault]]) }, { ...snapshot(3, [[1, fault]]) }];
    const judged = judge(before, { command: 'lint', isPublishing: true });
    const byRules = judge(after, { command: 'lint', isPublishing: true, rules });
    expect(judged.findings).toEqual(byRules.findings);
    expect(judged.apps).toEqual(byRules.apps);
  });

  describe('whose artifacts were fetched', () => {
    /** No rule is omitted because only the plain GET was sent. */
    const allRules = rules.map((rule) => ({ ...rule, aboutOtherRequests: false }));
    const RESPONSES: Record<string, Parameters<typeof web>> = {
      usual: [probe(hop({ 'content-type': 'application/gzip' }))],
      'a private authority': [probe(hop({}, { tls: tls({ privateCa: true }) }))],
      'the wrong type': [probe(hop({ 'content-type': 'text/html' }))],
      'an error': [probe(hop({}, { status: 404 }))],
      'a HEAD request': [probe(), { head: probe(hop({}, { status: 405 }), { method: 'HEAD' }) }],
      'a HEAD request that was not sent': [probe(), { head: { missing: { code: 'interrupted' } } }],
      'a request of a browser': [probe(), { browser: [probe(hop(), { origin: 'https://flows.example.com' })] }],
    };

    /** @param digest null for the listed one */
    function fetched(fault: string, response: string, digest: string | null): Snapshot {
      const facts = snapshot(3, [[1, fault]]);
      for (const { metadata, artifacts } of facts.apps)
        for (const [i, artifact] of artifacts.entries()) {
          const listed = checksumIn(metadata.content, i);
          const content = contentWith(digest ?? listed);
          const archive = { missing: { code: 'not-requested', flag: '--artifacts' } } as const;
          Object.assign(artifact, { web: web(...RESPONSES[response]!), content, archive });
        }
      return facts;
    }

    test.each(Object.keys(RESPONSES))('has the same report with all rules: %s', (response) => {
      for (const fault of [...Object.keys(FAULTS), 'none'])
        for (const digest of [null, 'f'.repeat(64)]) {
          const facts = fetched(fault, response, digest);
          const judged = judge(facts, { command: 'verify' });
          expect(judged, fault).toEqual(judge(facts, { command: 'verify', rules: allRules }));
        }
    });
  });

  test('has the same report with and without the fast path for any set of faults', () => {
    const fault = fc.tuple(fc.nat(APPS - 1), fc.constantFrom(...Object.keys(FAULTS)));
    fc.assert(
      fc.property(fc.array(fault, { maxLength: 8 }), (faults) => {
        const facts = snapshot(APPS, faults);
        expect(judge(facts, { command: 'lint' })).toEqual(judge(facts, { command: 'lint', rules }));
      }),
      { numRuns: runs(10) },
    );
  });
});
