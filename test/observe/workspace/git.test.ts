import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gitTree } from '../../../src/observe/workspace/git.ts';
import type { Tree } from '../../../src/observe/workspace/documents.ts';
import { commitAll, folder, git, errorOf, write } from '../../support/folders.ts';

function repository(files: Record<string, unknown>): string {
  const root = folder(files);
  git(root, 'init', '--quiet');
  commitAll(root);
  return root;
}
function textOf(tree: Tree, path: string): string | null {
  tree.fetch([path]);
  return tree.read(path)?.text ?? null;
}

describe('a tree at a ref', () => {
  const root = repository({
    'registry.json': 'one',
    'sub folder/a.json': 'a1',
    'é.json': 'é',
    'bytes.json': Uint8Array.from([0x22, 0xff]),
    'crlf.json': '{\r\n}',
  });
  git(root, 'tag', 'v1');
  write(root, { 'registry.json': 'two', 'new.json': 'new' });
  commitAll(root);
  write(root, { 'registry.json': 'three' });

  test('contains the committed files, regardless of the work tree', () => {
    expect(textOf(gitTree('v1', root), 'registry.json')).toBe('one');
    expect(textOf(gitTree('HEAD~1', root), 'registry.json')).toBe('one');
    expect(textOf(gitTree('HEAD', root), 'registry.json')).toBe('two');
    expect(textOf(gitTree('main', root), 'registry.json')).toBe('two');
    expect(gitTree('v1', root).source).toBe('v1');
  });

  test('preserves CRLF, non-ASCII names and binary content', () => {
    const tree = gitTree('v1', root);
    tree.fetch(['crlf.json', 'missing.json', 'é.json', 'bytes.json', 'sub folder', 'sub folder/a.json']);
    expect(tree.read('crlf.json')?.text).toBe('{\r\n}');
    expect(tree.read('é.json')?.text).toBe('é');
    expect(tree.read('bytes.json')).toMatchObject({ text: null, base64: 'Iv8=', bytes: 2 });
    expect(tree.read('sub folder/a.json')?.text).toBe('a1');
  });

  test('contains no missing files, folders or files that were not fetched', () => {
    const tree = gitTree('v1', root);
    tree.fetch(['new.json', 'sub folder', 'a\nb']);
    expect(['new.json', 'sub folder', 'a\nb', 'registry.json'].map((path) => tree.read(path))).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  test('fetches many files in a subfolder correctly', () => {
    const names = Array.from({ length: 130 }, (_, i) => `apps/${i % 7}/ü ${i}.json`);
    const files = Object.fromEntries(names.map((name) => [`sub/${name}`, name]));
    const many = repository({ ...files, 'apps/0/ü 0.json': 'another' });
    write(many, { 'sub/apps/0/ü 0.json': 'changed' });
    const tree = gitTree('HEAD', join(many, 'sub'));
    tree.fetch([...names, 'missing.json', 'apps']);
    expect(names.map((name) => tree.read(name)?.text)).toEqual(names);
    expect(['missing.json', 'apps'].map((name) => tree.read(name))).toEqual([null, null]);
  });

  test('uses paths relative to the workspace in a subfolder', () => {
    expect(textOf(gitTree('v1', join(root, 'sub folder')), 'a.json')).toBe('a1');
    expect(textOf(gitTree('v1', join(root, 'sub folder')), 'registry.json')).toBe(null);
  });

  test('fetches 300 files at once', () => {
    const many = repository(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`apps/a${i}/v.json`, `${i}`])));
    const tree = gitTree('HEAD', many);
    const paths = Array.from({ length: 300 }, (_, i) => `apps/a${i}/v.json`);
    tree.fetch(paths);
    expect(paths.map((path) => tree.read(path)?.text)).toEqual(paths.map((_, i) => `${i}`));
  });
});

test('the merge base is used if a branch has later commits', () => {
  const root = repository({ 'registry.json': 'base' });
  git(root, 'checkout', '--quiet', '-b', 'feature');
  write(root, { 'registry.json': 'feature' });
  commitAll(root);
  git(root, 'checkout', '--quiet', 'main');
  write(root, { 'registry.json': 'main went on' });
  commitAll(root);
  git(root, 'checkout', '--quiet', 'feature');
  expect(textOf(gitTree('main', root), 'registry.json')).toBe('base');
});

test('the tip of a branch without common history is used', () => {
  const root = repository({ 'registry.json': 'main' });
  git(root, 'checkout', '--quiet', '--orphan', 'gh-pages');
  write(root, { 'registry.json': 'published' });
  commitAll(root);
  git(root, 'checkout', '--quiet', 'main');
  expect(textOf(gitTree('gh-pages', root), 'registry.json')).toBe('published');
});

describe('an unusable ref is rejected', () => {
  const root = repository({ 'registry.json': '1' });

  test('if it does not exist', () => {
    expect(errorOf(() => gitTree('no-such-ref', root))).toMatchObject({
      known: true,
      code: 'baseline-missing',
      message: expect.stringContaining('a git ref'),
    });
  });

  test.each(['--output=x', '-h', '--all'])('if it resembles an option: %s', (ref) => {
    expect(errorOf(() => gitTree(ref, root))).toMatchObject({ code: 'baseline-missing' });
  });

  test('with its name escaped', () => {
    expect(errorOf(() => gitTree('\u001b[2J', root)).message).toContain('\\u{1b}[2J');
  });

  test('outside of a repository', () => {
    expect(errorOf(() => gitTree('main', folder()))).toMatchObject({
      code: 'baseline-missing',
      message: expect.stringContaining('not in a git repository'),
    });
  });

  test('in a repository without commits', () => {
    const empty = folder();
    git(empty, 'init', '--quiet');
    expect(errorOf(() => gitTree('HEAD', empty))).toMatchObject({ code: 'baseline-missing' });
  });

  test('in a shallow clone, with the command that fetches the history', () => {
    write(root, { 'registry.json': '2' });
    commitAll(root);
    git(root, 'branch', 'other', 'HEAD~1');
    const clone = join(folder(), 'clone');
    mkdirSync(clone);
    git(clone, 'clone', '--quiet', '--depth=1', `file://${root}`, '.');
    expect(textOf(gitTree('HEAD', clone), 'registry.json')).toBe('2');
    expect(errorOf(() => gitTree('origin/other', clone))).toMatchObject({
      code: 'git-shallow',
      message: expect.stringContaining('shallow clone'),
      hint: expect.stringContaining('fetch-depth: 0'),
    });
    expect(errorOf(() => gitTree('HEAD~1', clone))).toMatchObject({
      code: 'git-shallow',
      hint: expect.stringContaining('--unshallow'),
    });
  });
});
