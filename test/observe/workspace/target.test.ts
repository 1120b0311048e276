import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type WorkspaceSettings, manifestIn, targetAt } from '../../../src/observe/workspace/target.ts';
import { folder, errorOf } from '../../support/folders.ts';
import { BASE, entry, metadataWith } from '../../support/snapshots.ts';

const registry = { apps: { a: entry('a') } };
const none = (root: string): WorkspaceSettings => ({ root, found: false, manifest: null, baseUrl: null });
const configured = (root: string, more: Partial<WorkspaceSettings> = {}): WorkspaceSettings => ({
  root,
  found: true,
  manifest: null,
  baseUrl: BASE,
  ...more,
});

describe('a folder', () => {
  test('with registry.json and no configuration has an inferred base URL', () => {
    const root = folder({ 'registry.json': registry, 'apps/a/versions.json': metadataWith('1.0.0') });
    expect(targetAt(root, none(root))).toEqual({
      kind: 'workspace',
      workspace: { root, manifest: 'registry.json', baseUrl: BASE },
      inferred: true,
    });
  });

  test('with URLs elsewhere has no base URL', () => {
    const root = folder({ 'registry.json': registry });
    expect(targetAt(root, none(root))).toEqual({
      kind: 'workspace',
      workspace: { root, manifest: 'registry.json', baseUrl: null },
      inferred: false,
    });
  });

  test('with a configuration uses its manifest and base URL', () => {
    const root = folder({ 'my.json': registry });
    expect(targetAt(root, configured(root, { manifest: 'my.json' }))).toEqual({
      kind: 'workspace',
      workspace: { root, manifest: 'my.json', baseUrl: BASE },
      inferred: false,
    });
  });

  test('may have a manifest with another name, which is found by its content', () => {
    const root = folder({ 'my.json': registry, 'package.json': { name: 'x' }, 'broken.json': '{' });
    expect(manifestIn(root)).toBe('my.json');
    expect(targetAt(root, none(root))).toMatchObject({ kind: 'workspace', workspace: { manifest: 'my.json' } });
  });

  test('may have a lock file, which is no second manifest', () => {
    const lock = { lock: 1, apps: { a: {} } };
    const root = folder({ 'my.json': registry, 'appreg.lock.json': lock });
    expect(manifestIn(root)).toBe('my.json');
    expect(manifestIn(folder({ 'appreg.lock.json': lock }))).toBeNull();
    expect(errorOf(() => targetAt(join(root, 'appreg.lock.json'), none(root)))).toMatchObject({
      code: 'registry-unusable',
      exit: 2,
      message: expect.stringContaining('appreg.lock.json is a lock file, not a registry.'),
    });
  });

  test('inside a workspace selects the workspace', () => {
    const root = folder({ 'registry.json': registry, 'apps/a/versions.json': metadataWith('1.0.0') });
    expect(targetAt(join(root, 'apps'), configured(root))).toMatchObject({
      kind: 'workspace',
      workspace: { root, manifest: 'registry.json', baseUrl: BASE },
    });
  });

  test('with two manifests or none is rejected', () => {
    const two = folder({ 'a.json': registry, 'b.json': registry });
    expect(manifestIn(two)).toBe(null);
    expect(errorOf(() => targetAt(two, none(two)))).toMatchObject({ known: true, code: 'manifest-missing' });
    const empty = folder();
    expect(errorOf(() => targetAt(empty, none(empty)))).toMatchObject({
      known: true,
      code: 'manifest-missing',
      hint: expect.stringContaining('appreg init'),
    });
  });
});

describe('a file', () => {
  test('that is a manifest selects its workspace', () => {
    const root = folder({ 'x/my.json': registry, 'x/apps/a/versions.json': metadataWith('1.0.0') });
    expect(targetAt(join(root, 'x/my.json'), none(root))).toEqual({
      kind: 'workspace',
      workspace: { root: join(root, 'x'), manifest: 'my.json', baseUrl: BASE },
      inferred: true,
    });
  });

  test('that is metadata selects only this file in its workspace', () => {
    const root = folder({ 'registry.json': registry, 'apps/a/versions.json': metadataWith('1.0.0') });
    expect(targetAt(join(root, 'apps/a/versions.json'), configured(root))).toEqual({
      kind: 'metadata',
      workspace: { root, manifest: 'registry.json', baseUrl: BASE },
      path: 'apps/a/versions.json',
    });
    expect(targetAt(join(root, 'apps/a/versions.json'), none(root))).toMatchObject({
      kind: 'metadata',
      path: 'versions.json',
    });
  });

  test('that is not JSON is classified by its name', () => {
    const root = folder({ 'versions.json': '{', 'registry.json': '{' });
    expect(targetAt(join(root, 'versions.json'), none(root)).kind).toBe('metadata');
    expect(targetAt(join(root, 'registry.json'), none(root)).kind).toBe('workspace');
  });

  test('that the configuration names is the manifest, regardless of its content', () => {
    const root = folder({ 'registry.json': metadataWith('1.0.0') });
    expect(targetAt(join(root, 'registry.json'), configured(root, { manifest: 'registry.json' })).kind).toBe(
      'workspace',
    );
  });

  test('with both apps and versions is a manifest', () => {
    const root = folder({ 'x.json': { apps: {}, versions: [] } });
    expect(targetAt(join(root, 'x.json'), none(root)).kind).toBe('workspace');
  });
});

test('a missing path is rejected with its name escaped', () => {
  const root = folder();
  expect(errorOf(() => targetAt(join(root, 'no\u001bthing'), none(root)))).toMatchObject({
    known: true,
    code: 'path-missing',
    message: expect.stringContaining('no\\u{1b}thing'),
  });
});

test.skipIf(process.platform === 'win32')('a symbolic link to a workspace selects the workspace', () => {
  const root = folder({ 'registry.json': registry });
  const other = folder();
  mkdirSync(join(other, 'x'));
  symlinkSync(root, join(other, 'link'));
  expect(targetAt(join(other, 'link'), configured(root))).toMatchObject({
    kind: 'workspace',
    workspace: { baseUrl: BASE },
  });
});
