import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesIn, pathInRoom, ROOT, roomOf, SOURCES, WORKSPACES } from './support/source-files.ts';

/**
 * The order inside the folders of src, and of the workspaces: a subfolder, or a file beside it, imports only what comes
 * before it, types included. In the folders without a list, no two of them import each other, directly or in a circle.
 */

const ORDER: Readonly<Record<string, readonly string[]>> = {
  core: inOrder(
    'values text errors json url facts generated http registry about attestation findings offers rules engine diff policy release index.ts',
  ),
  observe: inOrder('content digest archive icon http registry workspace service baseline'),
  store: inOrder(
    'failpoint.ts interrupt.ts bytes.ts paths.ts store.ts journal.ts pool.ts directory git s3 blobs remember.ts',
  ),
  cli: inOrder('define io config check commands program completion process main.ts'),
  conformance: inOrder(
    'case sets.ts expected.ts result.ts command.ts hosts results documents host subscriber index.ts',
  ),
  service: inOrder(
    'log.ts metrics.ts time-limits.ts config domain db artifacts context.ts refresh jobs actions http api ui web-app.ts start.ts index.ts',
  ),
};

function inOrder(parts: string): readonly string[] {
  return parts.split(' ');
}

/** Folders that come one after the other in a list, and do not know each other. */
const APART: Readonly<Record<string, readonly string[]>> = {
  observe: ['registry', 'workspace', 'service'],
  service: ['api', 'ui'],
};

interface Import {
  from: string;
  target: string;
}

/** With the declarations of generated files. */
const ALL = filesIn('src', ...WORKSPACES.map((name) => `${name}/src`)).filter((file) => file.endsWith('.ts'));

/** Imports of files in the same room. */
const imports: Import[] = SOURCES.flatMap((from) => {
  const text = readFileSync(join(ROOT, from), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
  return [...text.matchAll(/(?:from\s+|import\(\s*|^import\s+)'(\.{1,2}\/[^']+)'/gm)]
    .map(([, path = '']) => ({ from, target: posix.join(posix.dirname(from), path) }))
    .filter(({ target }) => roomOf(target) === roomOf(from) && partOf(target) !== partOf(from));
});

/** The subfolder of a file, or its name if it is not in one. */
function partOf(file: string): string {
  return pathInRoom(file).split('/')[0] ?? '';
}

const shown = (found: readonly Import[]): string[] => found.map(({ from, target }) => `${from} imports ${target}`);

describe.each(Object.entries(ORDER))('%s', (folder, order) => {
  test('has an order of all of its parts', () => {
    const parts = new Set(ALL.filter((file) => roomOf(file) === folder).map(partOf));
    expect([...parts].toSorted()).toEqual([...order].toSorted());
  });

  test('imports only what comes before', () => {
    const own = imports.filter(({ from }) => roomOf(from) === folder);
    const wrong = own.filter(({ from, target }) => order.indexOf(partOf(target)) > order.indexOf(partOf(from)));
    expect(shown(wrong)).toEqual([]);
  });
});

test.each(Object.entries(APART))('the parts of %s that do not know each other', (folder, apart) => {
  const own = imports.filter(({ from, target }) => roomOf(from) === folder && apart.includes(partOf(target)));
  expect(shown(own.filter(({ from }) => apart.includes(partOf(from))))).toEqual([]);
});

test('the parts of the other folders do not import each other in a circle', () => {
  const circles: string[] = [];
  for (const folder of new Set(SOURCES.map(roomOf))) {
    const next = new Map<string, Set<string>>();
    for (const { from, target } of imports.filter((one) => roomOf(one.from) === folder))
      next.set(partOf(from), (next.get(partOf(from)) ?? new Set()).add(partOf(target)));
    const reachable = (part: string): Set<string> => {
      const reached = new Set<string>();
      for (const queue = [part]; queue.length > 0;)
        for (const one of next.get(queue.pop() ?? '') ?? []) {
          if (!reached.has(one)) queue.push(one);
          reached.add(one);
        }
      return reached;
    };
    for (const part of next.keys()) if (reachable(part).has(part)) circles.push(`${folder}/${part}`);
  }
  expect(circles).toEqual([]);
});
