import { describe, expect, test } from 'vitest';
import type { ArtifactFacts, Missing } from '../../../src/core/facts/facts.ts';
import type { Finding } from '../../../src/core/engine/report.ts';
import { updateVersions, type VersionUpdate } from '../../../src/service/refresh/version-lifecycle.ts';
import type { StoredVersion } from '../../../src/service/storage/tables.ts';

const digest = (letter: string): string => letter.repeat(64);
const sum = (letter: string): string => `sha256:${digest(letter)}`;
const THEN = new Date('2026-01-01T00:00:00Z');
const NOW = new Date('2026-01-02T00:00:00Z');

function row(version: string, letter: string, more: Partial<StoredVersion> = {}): StoredVersion {
  return {
    version,
    artifactUrl: `https://h.example/${version}.tar.gz`,
    artifactChecksum: sum(letter),
    firstSeenAt: THEN,
    state: 'verified',
    rule: null,
    reason: null,
    verifiedAt: THEN,
    triedAt: THEN,
    bytes: 5,
    swappedChecksum: null,
    withdrawnAt: null,
    ...more,
  };
}
const pending: Partial<StoredVersion> = { state: 'pending', verifiedAt: null, triedAt: null, bytes: null };
const mismatched: Partial<StoredVersion> = {
  ...pending,
  state: 'refused',
  rule: 'artifact-checksum-mismatch',
  reason: 'other',
};

const entry = (version: string, letter: string, url = `https://h.example/${version}.tar.gz`) => ({
  version,
  artifactUrl: url,
  artifactChecksum: sum(letter),
});

/** An artifact whose bytes have the digest; a number is the status that came instead, null that nobody asked. */
function got(what: string | number | null, more: Partial<ArtifactFacts> = {}): ArtifactFacts {
  const none: Missing = { missing: { code: 'not-requested', flag: null } };
  if (what === null) return { url: 'x', file: null, web: none, content: none, archive: none };
  const status = typeof what === 'number' ? what : 200;
  const hop = { url: 'https://h.example/', status, headers: [], address: null, tls: null };
  const failure =
    status === 0
      ? { phase: 'connect' as const, code: 'X', message: 'x', url: 'https://h.example/', got: null, expected: null }
      : null;
  const service = { method: 'GET' as const, origin: null, hops: [hop], failure, attempts: 1, retryAfterMs: 0 };
  const content: ArtifactFacts['content'] =
    typeof what === 'number'
      ? { missing: { code: 'blocked-by', rule: 'unreachable' } }
      : { bytes: 5, sha256: digest(what), sha1: '', md5: '', head: '', cut: false, decoded: null };
  return {
    url: 'x',
    file: null,
    web: { server: service, browser: [], preflight: none, head: none },
    content,
    archive: none,
    ...more,
  };
}

const error = (version: string, rule: string): Finding =>
  ({ version, rule, severity: 'error', resource: 'artifact', message: `Says ${rule}.` }) as Finding;

function keep(
  known: StoredVersion[],
  list: object[],
  artifacts: ArtifactFacts[],
  findings: Finding[] = [],
  limit = 9,
): VersionUpdate {
  return updateVersions({ known, listed: list as never[], artifacts, errors: findings, now: NOW, limit });
}

describe('a version', () => {
  test('is offered once its bytes have the digest', () => {
    const { put, latest } = keep([], [entry('1.0.0', 'a')], [got('a')]);
    expect(put).toEqual([row('1.0.0', 'a', { firstSeenAt: NOW, verifiedAt: NOW, triedAt: NOW })]);
    expect(latest).toBe('1.0.0');
  });

  test.each<[string, StoredVersion | null, object, ArtifactFacts, Finding[], Partial<StoredVersion> | null]>([
    ['not come to yet', null, entry('1.0.0', 'a'), got(null), [], { ...pending, firstSeenAt: NOW }],
    ['not come to again', row('1.0.0', 'a'), entry('1.0.0', 'a'), got(null), [], null],
    ['taken over', row('1.0.0', 'a'), entry('1.0.0', 'a'), got('a', { reusedFrom: THEN.toISOString() }), [], null],
    ['seen anew', row('1.0.0', 'a'), entry('1.0.0', 'a'), got('a'), [], { verifiedAt: NOW, triedAt: NOW }],
    [
      'other bytes than listed',
      null,
      entry('1.0.0', 'a'),
      got('b'),
      [error('1.0.0', 'artifact-checksum-mismatch')],
      {
        ...mismatched,
        reason: 'Says artifact-checksum-mismatch.',
        firstSeenAt: NOW,
        triedAt: NOW,
      },
    ],
    [
      'the right bytes at the second look',
      null,
      entry('1.0.0', 'a'),
      got('b', { again: got('a').content }),
      [],
      { firstSeenAt: NOW, verifiedAt: NOW, triedAt: NOW },
    ],
    [
      'the right bytes, but no archive that anybody should unpack',
      null,
      entry('1.0.0', 'a'),
      got('a'),
      [error('1.0.0', 'artifact-unsafe-entry')],
      {
        ...pending,
        state: 'refused',
        rule: 'artifact-unsafe-entry',
        reason: 'Says artifact-unsafe-entry.',
        firstSeenAt: NOW,
        triedAt: NOW,
      },
    ],
    [
      'a checksum fixed after a mismatch: it was never in force',
      row('1.0.0', 'a', mismatched),
      entry('1.0.0', 'b'),
      got('b'),
      [],
      { artifactChecksum: sum('b'), firstSeenAt: NOW, verifiedAt: NOW, triedAt: NOW },
    ],
    [
      'bytes fixed after a mismatch',
      row('1.0.0', 'a', mismatched),
      entry('1.0.0', 'a'),
      got('a'),
      [],
      { verifiedAt: NOW, triedAt: NOW },
    ],
    [
      'swapped with its bytes',
      row('1.0.0', 'a'),
      entry('1.0.0', 'b'),
      got('b'),
      [],
      {
        state: 'refused',
        rule: 'artifact-changed',
        reason: 'It was published with a different checksum.',
        swappedChecksum: sum('b'),
        triedAt: NOW,
      },
    ],
    [
      'swapped in the listing alone',
      row('1.0.0', 'a'),
      entry('1.0.0', 'b'),
      got('a'),
      [],
      { swappedChecksum: sum('b') },
    ],
    ['swapped, and not come to', row('1.0.0', 'a'), entry('1.0.0', 'b'), got(null), [], { swappedChecksum: sum('b') }],
    [
      'listed with something that is no checksum',
      row('1.0.0', 'a'),
      { ...entry('1.0.0', 'a'), artifactChecksum: 'soon' },
      got('a'),
      [],
      { swappedChecksum: 'soon' },
    ],
    [
      'put back after it was swapped',
      row('1.0.0', 'a', { state: 'refused', rule: 'artifact-changed', reason: 'x', swappedChecksum: sum('b') }),
      entry('1.0.0', 'a'),
      got('a'),
      [],
      { verifiedAt: NOW, triedAt: NOW },
    ],
    [
      'other bytes under the digest that is in force',
      row('1.0.0', 'a'),
      entry('1.0.0', 'a'),
      got('b'),
      [],
      {
        state: 'refused',
        rule: 'artifact-checksum-mismatch',
        reason: 'The artifact has a different checksum.',
        triedAt: NOW,
      },
    ],
    ['its host down', row('1.0.0', 'a'), entry('1.0.0', 'a'), got(0), [], null],
    ['its host in trouble', row('1.0.0', 'a'), entry('1.0.0', 'a'), got(503), [], null],
    [
      'its artifact gone',
      row('1.0.0', 'a'),
      entry('1.0.0', 'a'),
      got(404),
      [],
      { state: 'refused', rule: 'unreachable', reason: 'Its artifact cannot be fetched.', triedAt: NOW },
    ],
    [
      'its host down from the first',
      null,
      entry('1.0.0', 'a'),
      got(0),
      [],
      {
        ...pending,
        state: 'refused',
        rule: 'unreachable',
        reason: 'Its artifact cannot be fetched.',
        firstSeenAt: NOW,
        triedAt: NOW,
      },
    ],
    [
      'listed again',
      row('1.0.0', 'a', { withdrawnAt: THEN }),
      entry('1.0.0', 'a'),
      got('a', { reusedFrom: THEN.toISOString() }),
      [],
      { withdrawnAt: null },
    ],
    [
      'moved',
      row('1.0.0', 'a'),
      entry('1.0.0', 'a', 'https://new.example/1.tar.gz'),
      got('a'),
      [],
      { artifactUrl: 'https://new.example/1.tar.gz', verifiedAt: NOW, triedAt: NOW },
    ],
    [
      'moved to where other bytes are',
      row('1.0.0', 'a'),
      entry('1.0.0', 'a', 'https://new.example/1.tar.gz'),
      got('b'),
      [],
      {
        state: 'refused',
        rule: 'artifact-checksum-mismatch',
        reason: 'The artifact has a different checksum.',
        triedAt: NOW,
      },
    ],
  ])('%s', (_, before, listed, facts, findings, change) => {
    const { put, drop } = keep(before ? [before] : [], [listed], [facts], findings);
    expect(drop).toEqual([]);
    expect(put).toEqual(change === null ? [] : [{ ...(before ?? row('1.0.0', 'a')), ...clean(before), ...change }]);
  });
});

/** Columns that a version loses when it is well again. */
function clean(before: StoredVersion | null): Partial<StoredVersion> {
  return before?.rule ? { state: 'verified', rule: null, reason: null, bytes: 5, swappedChecksum: null } : {};
}

describe('versions', () => {
  test('withdrawn ones are remembered where they were in force, and forgotten otherwise', () => {
    const known = [row('2.0.0', 'b'), row('1.0.0', 'a'), row('0.9.0', 'c', mismatched), row('0.8.0', 'd', pending)];
    const { put, drop, latest } = keep(known, [entry('1.0.0', 'a')], [got(null)]);
    expect(put).toEqual([row('2.0.0', 'b', { withdrawnAt: NOW })]);
    expect(drop).toEqual(['0.9.0', '0.8.0']);
    expect(latest).toBe('1.0.0');
  });

  test('one that is listed twice with two checksums is offered with the digest in force alone', () => {
    const twice = [entry('1.0.0', 'b'), entry('1.0.0', 'a')];
    expect(keep([], twice, [got('b'), got('a')]).put).toMatchObject([{ state: 'refused', rule: 'version-duplicate' }]);
    expect(keep([row('1.0.0', 'a')], twice, [got('b'), got('a', { reusedFrom: THEN.toISOString() })]).put).toEqual([]);
  });

  test('the highest ones are kept where there are too many, and what is known counts', () => {
    const list = ['1.0.0', '3.0.0', '2.0.0', '10.0.0'].map((version) => entry(version, 'a'));
    const { put, beyond } = keep(
      [row('0.1.0', 'a')],
      list,
      list.map(() => got(null)),
      [],
      3,
    );
    expect(put.map(({ version }) => version)).toEqual(['0.1.0', '10.0.0', '3.0.0']);
    expect(beyond).toBe(2);
  });

  test('what is no version, has no address or no checksum is none', () => {
    const list = [
      entry('1.0', 'a'),
      { version: '1.0.0' },
      { ...entry('2.0.0', 'a'), artifactChecksum: 'sha1:x' },
      7,
      null,
    ];
    expect(keep([], list as object[], []).put).toEqual([]);
  });
});
