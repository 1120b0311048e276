import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Snapshot } from '../../../src/core/facts/facts.ts';
import { documentText } from '../../../src/core/json/json.ts';
import { judge } from '../../../src/core/engine/judge.ts';
import {
  baselineInLock,
  EMPTY_LOCK,
  lockFileIn,
  type LockFile,
  lockText,
  recorded,
  withLockedDescription,
} from '../../../src/core/registry/lock-file.ts';
import { checksum, NOW } from '../../support/core-facts.ts';
import { web } from '../../support/probes.ts';
import { BASE, metadataWith, snapshot } from '../../support/snapshots.ts';

const read = (text: string): LockFile => lockFileIn(documentText(text), 'appreg.lock.json');
/** The message of the error for a file. */
function refused(text: string): string {
  try {
    read(text);
    return 'accepted';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
}
const locked = (facts: Snapshot): LockFile => recorded(EMPTY_LOCK, facts).lock;

test('a lock file has one line per version, in an order independent of the listing', () => {
  const text = lockText(locked(snapshot(['b', 'a'], { a: metadataWith('1.10.0', '1.9.0'), b: { versions: [] } })));
  expect(text.split('\n').map((line) => line.slice(0, 16))).toEqual([
    '{',
    '  "lock": 1,',
    '  "apps": {',
    '    "a": {',
    '      "1.9.0": {',
    '      "1.10.0": ',
    '    }',
    '  }',
    '}',
    '',
  ]);
  expect(lockText(EMPTY_LOCK)).toBe('{\n  "lock": 1,\n  "apps": {}\n}\n');
});

const byKey = <Value>(map: ReadonlyMap<string, Value>): [string, Value][] =>
  [...map].toSorted(([a], [b]) => (a < b ? -1 : 1));
const sort = ({ versions, descriptions }: LockFile): unknown => [
  byKey(versions).map(([key, known]) => [key, byKey(known)]),
  byKey(descriptions),
];

test('a lock file is read as it was written, for any keys and versions', () => {
  const name = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'toString', 'a'), fc.string({ minLength: 1 }));
  const number = fc
    .tuple(fc.nat(20), fc.nat(20), fc.constantFrom('', '-rc.1', '+5'))
    .map(([a, b, c]) => `${a}.${b}.0${c}`);
  const version = fc.record({
    artifactUrl: fc.string(),
    artifactChecksum: fc.string(),
    bytes: fc.option(fc.nat()),
    firstSeen: fc.constant(NOW),
  });
  const provenance = fc.record({
    sources: fc.nat().map(checksum),
    toolchain: fc.record({ appreg: fc.string(), esbuild: fc.string() }),
  });
  const entry = fc.oneof(
    version,
    fc.tuple(version, provenance).map(([one, from]) => ({ ...one, provenance: from })),
  );
  const described = fc.array(
    fc.tuple(name, fc.dictionary(fc.stringMatching(/^[a-z]+$/), fc.string(), { noNullPrototype: true })),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(name, fc.array(fc.tuple(number, entry)))), described, (apps, descriptions) => {
      const versions = new Map(
        apps.map(([key, known]) => [key, new Map(known.map(([v, rest]) => [v, { version: v, ...rest }]))]),
      );
      const lock: LockFile = { versions, descriptions: new Map(descriptions) };
      // `__proto__` as a member of an object literal in JSON is a name like any other.
      expect(sort(read(lockText(lock)))).toEqual(sort(lock));
    }),
    { numRuns: 200 },
  );
});

test('an entry without provenance, as in earlier lock files, is written as it was read', () => {
  const line = `{"artifactChecksum":"${checksum(1)}","bytes":5,"firstSeen":"${NOW}","artifactUrl":"${BASE}a.tar.gz"}`;
  const text = `{\n  "lock": 1,\n  "apps": {\n    "a": {\n      "1.0.0": ${line}\n    }\n  }\n}\n`;
  expect(lockText(read(text))).toBe(text);
  const half = text.replace('"bytes":5', `"bytes":5,"sources":"${checksum(2)}"`);
  expect(lockText(read(half))).toBe(text);
});

test('a description has one line, and is kept where versions are recorded', () => {
  const color = { name: 'A', color: '#112233' };
  const first = withLockedDescription(locked(snapshot(['b', 'a'], { a: metadataWith('1.0.0') })), 'b', { name: 'B' });
  const lock = withLockedDescription(first, 'a', color);
  const text = lockText(lock);
  expect(text).toContain(
    '  },\n  "descriptions": {\n    "a": {"name":"A","color":"#112233"},\n    "b": {"name":"B"}\n  }\n}\n',
  );
  expect(read(text)).toEqual(lock);
  expect(recorded(read(text), snapshot(['c'], { c: metadataWith('1.0.0') })).lock.descriptions).toEqual(
    lock.descriptions,
  );
  expect(withLockedDescription(lock, 'a', { color: '#112233' })).toBe(lock);
  expect(withLockedDescription(lock, 'a', { color: '#445566' }).descriptions.get('a')).toEqual({
    name: 'A',
    color: '#445566',
  });
});

describe('recording', () => {
  test('adds new versions once', () => {
    const first = recorded(EMPTY_LOCK, snapshot(['a'], { a: metadataWith('1.0.0') }));
    expect(first).toMatchObject({ added: 1, changed: [] });
    const second = recorded(first.lock, snapshot(['a'], { a: metadataWith('1.0.0', '1.1.0') }));
    expect(second).toMatchObject({ added: 1, changed: [] });
    expect([...second.lock.versions.get('a')!.keys()]).toEqual(['1.0.0', '1.1.0']);
    expect(second.lock.versions.get('a')!.get('1.0.0')).toMatchObject({
      firstSeen: NOW,
      artifactUrl: `${BASE}apps/a/versions/1.0.0.tar.gz`,
    });
  });

  test('preserves the first record and reports differences', () => {
    const first = locked(snapshot(['a'], { a: metadataWith('1.0.0') }));
    const other = { versions: [{ ...metadataWith('1.0.0').versions[0]!, artifactChecksum: checksum(9) }] };
    const { lock, added, changed } = recorded(first, snapshot(['a'], { a: other }));
    expect({ added, changed }).toEqual({
      added: 0,
      changed: [{ app: 'a', version: '1.0.0', before: checksum(1), after: checksum(9) }],
    });
    expect(lock).toEqual(first);
  });

  test('keeps that a version was only stored, until a live registry lists it with the same digest', () => {
    const stored = locked(snapshot(['a'], { a: metadataWith('1.0.0') }));
    const entry = { ...stored.versions.get('a')!.get('1.0.0')!, isUnserved: true as const };
    const lock = { ...stored, versions: new Map([['a', new Map([['1.0.0', entry]])]]) };
    expect(lockText(lock)).toContain('"served":false');
    expect(read(lockText(lock))).toEqual(lock);
    expect(baselineInLock(lock, 'lock', true).app('a')).toEqual([expect.objectContaining({ isUnserved: true })]);
    expect(baselineInLock(lock, 'lock').app('a')).toEqual([expect.not.objectContaining({ isUnserved: true })]);
    const inFolder = snapshot(['a'], { a: metadataWith('1.0.0') });
    expect(recorded(lock, inFolder).lock).toEqual(lock);
    const live = snapshot(['a'], { a: metadataWith('1.0.0') });
    live.apps[0]!.metadata.web = web();
    expect(recorded(lock, live).lock).toEqual(stored);
    const other = snapshot(['a'], {
      a: { versions: [{ ...metadataWith('1.0.0').versions[0]!, artifactChecksum: checksum(9) }] },
    });
    other.apps[0]!.metadata.web = web();
    expect(recorded(lock, other).lock).toEqual(lock);
  });

  test('preserves apps that are no longer listed', () => {
    const first = locked(snapshot(['a', 'b']));
    expect(recorded(first, snapshot(['a'])).lock).toEqual(first);
  });
});

test('changes since the lock file was written are judged as with any baseline', () => {
  const before = baselineInLock(
    locked(snapshot(['a', 'gone'], { a: metadataWith('1.0.0', '1.1.0') })),
    'appreg.lock.json',
  );
  const now = snapshot(['a'], {
    a: { versions: [{ ...metadataWith('1.0.0').versions[0]!, artifactChecksum: checksum(9) }] },
  });
  const found = judge(now, { command: 'lint', baseline: before }).findings.map(({ rule }) => rule);
  expect(found).toEqual(expect.arrayContaining(['artifact-changed', 'version-withdrawn', 'app-withdrawn']));
});

const ENTRY = `"artifactUrl": "https://x.example/a.tar.gz", "artifactChecksum": "${checksum(1)}"`;

test.each([
  ['', '1:1: The file is empty.'],
  ['{', /:1:\d: /],
  ['[]', ':1:1: The lock file must be an object, not an empty list.'],
  ['{"lock":2,"apps":{}}', ':1:9: “lock” must be 1, not 2.'],
  ['{"apps":{}}', ':1:1: “lock” is missing.'],
  ['{"lock":1,"apps":[]}', ':1:18: “apps” must be an object, not an empty list.'],
  ['{"lock":1,"apps":{},"descriptions":{"a":{"name":1}}}', '“descriptions.a.name” must be of another form, not 1.'],
  ['{"lock":1,"apps":{},"aps":{}}', ':1:21: Unknown field “aps”. Did you mean apps?'],
  ['{"lock":1,"apps":{"a":{},"a":{}}}', ':1:26: The name “a” occurs twice in one object.'],
  [
    `{"lock":1,"apps":{"a":{"v1":{${ENTRY}}}}}`,
    ':1:24: The name “v1” in “apps.a” must be a semantic version, such as 1.2.0.',
  ],
  [
    `{"lock":1,"apps":{"a":{"1.0.0":{${ENTRY}, "bytes": -1}}}}`,
    /: “apps\.a\["1\.0\.0"\]\.bytes” must be at least 0, not -1\. Nothing was changed\.$/,
  ],
  [
    `{"lock":1,"apps":{"a":{"1.0.0":{${ENTRY}, "sources": "x"}}}}`,
    /sources” must be "sha256:" and 64 lowercase hexadecimal digits, not “x”\./,
  ],
  [
    '{"lock":1,"apps":{"a":{"1.0.0":{}}}}',
    /has 2 errors:\n {2}.*“artifactChecksum” is missing in .*\n {2}.*“artifactUrl” is missing/,
  ],
])('%s is refused with its place', (text, message) => {
  if (typeof message === 'string') expect(refused(text)).toContain(message);
  else expect(refused(text)).toMatch(message);
});
