import { describe, expect, test } from 'vitest';
import type { ArtifactFacts, Missing } from '../../../src/core/facts/facts.ts';
import type { VersionErrors } from '../../../src/core/offers/visibility.ts';
import type { Finding } from '../../../src/core/findings/report.ts';
import type { VersionError } from '../../../src/core/offers/version-offer.ts';
import { updateVersions, type VersionUpdate } from '../../src/domain/version-lifecycle.ts';
import { type StoredVersion } from '../../src/domain/version.ts';

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
    servedChecksum: null,
    withdrawnAt: null,
    lostAt: null,
    validators: null,
    askedAt: more.verifiedAt ?? null,
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

/** An artifact whose bytes have the digest; a number is the status of a failed request, null means that it was not requested. */
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

function errorsByVersion(findings: readonly Finding[]): VersionErrors {
  const errors = new Map<string, VersionError[]>();
  for (const { version, rule, message, resource } of findings)
    errors.set(version!, [...(errors.get(version!) ?? []), { rule, message, resource }]);
  return errors;
}

function keep(
  known: StoredVersion[],
  list: object[],
  artifacts: ArtifactFacts[],
  findings: Finding[] = [],
  limit = 9,
): VersionUpdate {
  return updateVersions({
    known,
    listed: list as never[],
    artifacts,
    errors: errorsByVersion(findings),
    now: NOW,
    limit,
    answers: new Map(),
  });
}

describe('a version', () => {
  test('is offered once its bytes have the digest', () => {
    const { changed, latest } = keep([], [entry('1.0.0', 'a')], [got('a')]);
    expect(changed).toEqual([row('1.0.0', 'a', { firstSeenAt: NOW, verifiedAt: NOW, triedAt: NOW })]);
    expect(latest).toBe('1.0.0');
  });

  test.each<[string, StoredVersion | null, object, ArtifactFacts, Finding[], Partial<StoredVersion> | null]>([
    ['it was not requested yet', null, entry('1.0.0', 'a'), got(null), [], { ...pending, firstSeenAt: NOW }],
    ['it was not requested again', row('1.0.0', 'a'), entry('1.0.0', 'a'), got(null), [], null],
    [
      'its earlier facts were reused',
      row('1.0.0', 'a'),
      entry('1.0.0', 'a'),
      got('a', { reusedFrom: THEN.toISOString() }),
      [],
      null,
    ],
    [
      'it was downloaded again',
      row('1.0.0', 'a'),
      entry('1.0.0', 'a'),
      got('a'),
      [],
      { verifiedAt: NOW, triedAt: NOW },
    ],
    [
      'it has other bytes than listed',
      null,
      entry('1.0.0', 'a'),
      got('b'),
      [error('1.0.0', 'artifact-checksum-mismatch')],
      {
        ...mismatched,
        reason: 'Says artifact-checksum-mismatch.',
        servedChecksum: sum('b'),
        firstSeenAt: NOW,
        triedAt: NOW,
      },
    ],
    [
      'it was never offered and has a malformed checksum',
      null,
      { ...entry('1.0.0', 'a'), artifactChecksum: 'sha1:x' },
      got('a'),
      [{ ...error('1.0.0', 'checksum-malformed'), resource: 'metadata' }],
      {
        ...pending,
        artifactChecksum: 'sha1:x',
        state: 'refused',
        rule: 'checksum-malformed',
        reason: 'Says checksum-malformed.',
        firstSeenAt: NOW,
        triedAt: NOW,
      },
    ],
    [
      'its URL cannot be requested',
      null,
      entry('1.0.0', 'a', 'nowhere'),
      { ...got(null), web: { missing: { code: 'blocked-by', rule: 'url-malformed' } } },
      [error('1.0.0', 'url-malformed')],
      {
        ...pending,
        artifactUrl: 'nowhere',
        state: 'refused',
        rule: 'url-malformed',
        reason: 'Says url-malformed.',
        firstSeenAt: NOW,
        triedAt: NOW,
      },
    ],
    [
      'it has the right bytes on the second request',
      null,
      entry('1.0.0', 'a'),
      got('b', { again: got('a').content }),
      [],
      { firstSeenAt: NOW, verifiedAt: NOW, triedAt: NOW },
    ],
    [
      'it has the right bytes in an unsafe archive',
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
      'its checksum is fixed after a mismatch, since it was never offered',
      row('1.0.0', 'a', mismatched),
      entry('1.0.0', 'b'),
      got('b'),
      [],
      { artifactChecksum: sum('b'), firstSeenAt: NOW, verifiedAt: NOW, triedAt: NOW },
    ],
    [
      'its bytes are fixed after a mismatch',
      row('1.0.0', 'a', mismatched),
      entry('1.0.0', 'a'),
      got('a'),
      [],
      { verifiedAt: NOW, triedAt: NOW },
    ],
    [
      'it is swapped with its bytes',
      row('1.0.0', 'a'),
      entry('1.0.0', 'b'),
      got('b'),
      [],
      {
        state: 'refused',
        rule: 'artifact-changed',
        reason: 'The version was published with a different checksum.',
        swappedChecksum: sum('b'),
        servedChecksum: sum('b'),
        triedAt: NOW,
      },
    ],
    [
      'it is swapped only in the listing',
      row('1.0.0', 'a'),
      entry('1.0.0', 'b'),
      got('a'),
      [],
      { swappedChecksum: sum('b') },
    ],
    [
      'it is swapped and was not requested',
      row('1.0.0', 'a'),
      entry('1.0.0', 'b'),
      got(null),
      [],
      { swappedChecksum: sum('b') },
    ],
    [
      'it is listed with an invalid checksum',
      row('1.0.0', 'a'),
      { ...entry('1.0.0', 'a'), artifactChecksum: 'soon' },
      got('a'),
      [],
      { swappedChecksum: 'soon' },
    ],
    [
      'it is restored after it was swapped',
      row('1.0.0', 'a', { state: 'refused', rule: 'artifact-changed', reason: 'x', swappedChecksum: sum('b') }),
      entry('1.0.0', 'a'),
      got('a'),
      [],
      { verifiedAt: NOW, triedAt: NOW },
    ],
    [
      'it has other bytes with the pinned digest',
      row('1.0.0', 'a'),
      entry('1.0.0', 'a'),
      got('b'),
      [],
      {
        state: 'refused',
        rule: 'artifact-checksum-mismatch',
        reason: 'The artifact has a different checksum.',
        servedChecksum: sum('b'),
        triedAt: NOW,
      },
    ],
    ['its host is down', row('1.0.0', 'a'), entry('1.0.0', 'a'), got(0), [], null],
    ['its host responds with status 503', row('1.0.0', 'a'), entry('1.0.0', 'a'), got(503), [], null],
    [
      'its artifact is missing',
      row('1.0.0', 'a'),
      entry('1.0.0', 'a'),
      got(404),
      [],
      { state: 'refused', rule: 'unreachable', reason: 'The artifact cannot be fetched.', triedAt: NOW },
    ],
    [
      'its host was never reachable',
      null,
      entry('1.0.0', 'a'),
      got(0),
      [],
      {
        ...pending,
        state: 'refused',
        rule: 'unreachable',
        reason: 'The artifact cannot be fetched.',
        firstSeenAt: NOW,
        triedAt: NOW,
      },
    ],
    [
      'it is listed again',
      row('1.0.0', 'a', { withdrawnAt: THEN }),
      entry('1.0.0', 'a'),
      got('a', { reusedFrom: THEN.toISOString() }),
      [],
      { withdrawnAt: null },
    ],
    [
      'its artifact moved',
      row('1.0.0', 'a'),
      entry('1.0.0', 'a', 'https://new.example/1.tar.gz'),
      got('a'),
      [],
      { artifactUrl: 'https://new.example/1.tar.gz', verifiedAt: NOW, triedAt: NOW },
    ],
    [
      'its artifact moved to a URL with other bytes',
      row('1.0.0', 'a'),
      entry('1.0.0', 'a', 'https://new.example/1.tar.gz'),
      got('b'),
      [],
      {
        state: 'refused',
        rule: 'artifact-checksum-mismatch',
        reason: 'The artifact has a different checksum.',
        servedChecksum: sum('b'),
        triedAt: NOW,
      },
    ],
  ])('is stored with the right state if %s', (_, before, listed, facts, findings, change) => {
    const { changed, removed } = keep(before ? [before] : [], [listed], [facts], findings);
    expect(removed).toEqual([]);
    const askedAt = change?.verifiedAt ?? before?.askedAt ?? null;
    expect(changed).toEqual(
      change === null ? [] : [{ ...(before ?? row('1.0.0', 'a')), ...clean(before), ...change, askedAt }],
    );
  });
});

/** Columns that are reset once a version is verified again. */
function clean(before: StoredVersion | null): Partial<StoredVersion> {
  return before?.rule
    ? { state: 'verified', rule: null, reason: null, bytes: 5, swappedChecksum: null, servedChecksum: null }
    : {};
}

describe('versions', () => {
  test('that are withdrawn are remembered if they were offered, and forgotten otherwise', () => {
    const known = [row('2.0.0', 'b'), row('1.0.0', 'a'), row('0.9.0', 'c', mismatched), row('0.8.0', 'd', pending)];
    const { changed, removed, latest } = keep(known, [entry('1.0.0', 'a')], [got(null)]);
    expect(changed).toEqual([row('2.0.0', 'b', { withdrawnAt: NOW })]);
    expect(removed).toEqual(['0.9.0', '0.8.0']);
    expect(latest).toBe('1.0.0');
  });

  test('that are listed without a URL or a checksum are withdrawn, and stay so', () => {
    const list = [{ ...entry('1.0.0', 'a'), artifactUrl: undefined }, { version: '1.1.0' }, entry('0.9.0', 'c')];
    const known = [row('1.0.0', 'a'), row('1.1.0', 'b', { withdrawnAt: THEN }), row('0.9.0', 'c')];
    const { changed, removed, latest } = keep(
      known,
      list,
      list.map(() => got(null)),
    );
    expect(changed).toEqual([row('1.0.0', 'a', { withdrawnAt: NOW })]);
    expect(removed).toEqual([]);
    expect(latest).toBe('0.9.0');
  });

  test('that are listed with two checksums are offered only with the pinned digest', () => {
    const twice = [entry('1.0.0', 'b'), entry('1.0.0', 'a')];
    expect(keep([], twice, [got('b'), got('a')]).changed).toMatchObject([
      { state: 'refused', rule: 'version-duplicate' },
    ]);
    expect(keep([row('1.0.0', 'a')], twice, [got('b'), got('a', { reusedFrom: THEN.toISOString() })]).changed).toEqual(
      [],
    );
  });

  test('above the limit are left out from the lowest one, and known versions count', () => {
    const list = ['1.0.0', '3.0.0', '2.0.0', '10.0.0'].map((version) => entry(version, 'a'));
    const { changed, beyond } = keep(
      [row('0.1.0', 'a')],
      list,
      list.map(() => got(null)),
      [],
      3,
    );
    expect(changed.map(({ version }) => version)).toEqual(['0.1.0', '10.0.0', '3.0.0']);
    expect(beyond).toBe(2);
  });

  test('without a valid version, or without a URL and a checksum, are ignored', () => {
    const list = [entry('1.0', 'a'), { version: '1.0.0' }, { ...entry('2.0.0', 'a'), artifactChecksum: null }, 7, null];
    expect(keep([], list as object[], []).changed).toEqual([]);
  });
});
