import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { runDiff } from '../../src/cli/commands/diff.ts';
import type { ArtifactFacts, Snapshot } from '../../src/core/facts/facts.ts';
import { sha256Of } from '../../src/store/bytes.ts';
import { registryState } from '../../src/workspace/registry-state.ts';
import { folder, write } from '../support/folders.ts';
import { archive, checksum } from '../support/live-registry.ts';
import { contextIn } from './author-support.ts';

/** `diff` of two folders says which versions gained, lost or changed companion files. */

const BASE = 'https://apps.example.com/';
const VERSIONS = ['3.0.0', '2.0.0', '1.0.0'];
let root: string;
beforeAll(() => {
  const bytes = archive('export {}');
  const versions = VERSIONS.map((version) => ({
    version,
    artifactUrl: `${BASE}apps/clock/versions/${version}.tar.gz`,
    artifactChecksum: checksum(bytes),
  }));
  const entry = {
    name: 'Clock',
    description: 'Shows the time.',
    blockStyle: { iconUrl: `${BASE}apps/clock/icon.svg`, color: '#336699' },
    appMetadataUrl: `${BASE}apps/clock/versions.json`,
  };
  root = folder();
  write(root, {
    'before/appreg.config.json': { baseUrl: BASE },
    'before/registry.json': { apps: { clock: entry } },
    'before/apps/clock/versions.json': { versions },
    'before/apps/clock/icon.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>',
    ...Object.fromEntries(VERSIONS.map((version) => [`before/apps/clock/versions/${version}.tar.gz`, bytes])),
  });
  cpSync(join(root, 'before'), join(root, 'plain'), { recursive: true });
  write(root, {
    'before/apps/clock/versions/2.0.0.tar.gz.sigstore.json': { a: 1 },
    'before/apps/clock/versions/1.0.0.tar.gz.sigstore.json': { a: 1 },
    'before/apps/clock/versions/1.0.0.tar.gz.cdx.json': { same: 1 },
  });
  cpSync(join(root, 'before'), join(root, 'after'), { recursive: true });
  rmSync(join(root, 'after/apps/clock/versions/1.0.0.tar.gz.sigstore.json'));
  write(root, {
    'after/apps/clock/versions/3.0.0.tar.gz.cdx.json': { new: 1 },
    'after/apps/clock/versions/2.0.0.tar.gz.sigstore.json': { a: 2 },
  });
});

async function output(before: string, after: string, format: 'pretty' | 'json' | 'markdown'): Promise<string> {
  const context = contextIn(root, { format });
  expect(await runDiff(context, before, after, { format })).toBe(0);
  return context.printed.out.join('\n');
}

test('two folders without companion files have the same output as before', async () => {
  cpSync(join(root, 'plain'), join(root, 'copy'), { recursive: true });
  expect(await output('plain', 'copy', 'pretty')).toBe('Nothing changes for subscribers');
  expect(JSON.parse(await output('plain', 'copy', 'json'))).not.toHaveProperty('companions');
});

test('companion files that are the same are not named', async () => {
  expect(await output('before', 'before', 'pretty')).toBe('Nothing changes for subscribers');
});

test('the differences are named, as text, JSON and Markdown', async () => {
  expect(await output('before', 'after', 'pretty')).toBe(
    [
      'clock 3.0.0: bill of materials added',
      'clock 2.0.0: attestation changed, but evidence of a published version must never change',
      'clock 1.0.0: attestation removed, but evidence of a published version must stay',
      'Nothing changes for subscribers',
    ].join('\n'),
  );
  expect(JSON.parse(await output('before', 'after', 'json')).companions).toEqual([
    { app: 'clock', version: '3.0.0', kind: 'sbom', change: 'added' },
    { app: 'clock', version: '2.0.0', kind: 'attestation', change: 'changed' },
    { app: 'clock', version: '1.0.0', kind: 'attestation', change: 'removed' },
  ]);
  expect(await output('before', 'after', 'markdown')).toMatch(
    /\*\*Companion files:\*\*\n\n- clock 3\.0\.0: bill of materials added\n/,
  );
});

test('facts that were saved with attestations are compared with a folder and with others', async () => {
  const state = await registryState(join(root, 'before'), { cwd: root });
  const observed = (attestations: (string | null)[]): Snapshot => ({
    ...state,
    apps: state.apps.map((app) => ({
      ...app,
      artifacts: app.artifacts.map((facts, index) => ({
        ...facts,
        file: null,
        ...attestationOf(attestations[index] ?? null),
      })),
    })),
  });
  const digest = sha256Of(readFileSync(join(root, 'before/apps/clock/versions/2.0.0.tar.gz.sigstore.json')));
  write(root, { 'one.json': observed([null, digest, null]), 'two.json': observed([digest, digest, digest]) });
  expect(await output('before', 'one.json', 'pretty')).toBe(
    'clock 1.0.0: attestation removed, but evidence of a published version must stay\nNothing changes for subscribers',
  );
  expect(JSON.parse(await output('one.json', 'two.json', 'json')).companions).toEqual([
    { app: 'clock', version: '3.0.0', kind: 'attestation', change: 'added' },
    { app: 'clock', version: '1.0.0', kind: 'attestation', change: 'added' },
  ]);
});

function attestationOf(sha256: string | null): Pick<ArtifactFacts, 'attestation'> {
  if (sha256 === null) return { attestation: { state: 'absent' } };
  const root = { date: '2026-11-01T00:00:00.000Z', shipped: true };
  const facts = { bytes: 1, sha256, root, failure: { cause: 'form', code: 'json' } as const };
  return {
    attestation: { state: 'present', facts: { ...facts, signer: null, signedAt: null, log: [], content: null } },
  };
}
