import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DocumentContent } from '../../../src/core/json/content.ts';
import { judge } from '../../../src/core/engine/judge.ts';
import { readDocumentFile, releaseText } from '../../../src/observe/workspace/documents.ts';
import { folder } from '../../support/folders.ts';
import { snapshot } from '../../support/snapshots.ts';

const entry = (i: number): object => ({
  name: `App ${i}`,
  description: 'größer '.repeat(4_000),
  blockStyle: { iconUrl: 'https://apps.example.com/icon.svg', color: 'blue' },
  appMetadataUrl: `https://apps.example.com/${i}.json`,
});

/** A manifest of five megabytes whose colours are wrong. */
function large(apps = 200): string {
  return JSON.stringify({ apps: Object.fromEntries(Array.from({ length: apps }, (_, i) => [`app-${i}`, entry(i)])) });
}

/** The same with colours as they should be. */
const usual = (): string => large().replaceAll('"blue"', '"#1a73e8"');

function read(path: string): DocumentContent {
  const content = readDocumentFile(path);
  if (typeof content === 'string') throw new Error(content);
  return content;
}

test('the text of a large file that was deleted after it was released cannot be read again', () => {
  const file = join(folder(), 'registry.json');
  writeFileSync(file, large());
  const content = read(file);
  expect({ ...content }).toEqual({ text: large(), base64: null, bytes: Buffer.byteLength(large()), cut: false });
  expect(JSON.parse(JSON.stringify(content))).toEqual({ ...content });
  releaseText(content);
  rmSync(file);
  expect(() => content.text).toThrow('was changed while it was being read');
});

test('the text of a large file is read again after it was released', () => {
  const file = join(folder(), 'registry.json');
  writeFileSync(file, usual());
  const content = read(file);
  expect(content.text).toBe(usual());
  releaseText(content);
  expect(content.text).toBe(usual());
  expect(content.text).toBe(usual());
});

test('the text is read a few times, not once per finding', () => {
  let reads = 0;
  const text = large();
  const content: DocumentContent = {
    get text() {
      reads++;
      return text;
    },
    base64: null,
    bytes: text.length,
    cut: false,
  };
  const seen = snapshot(text);
  const { findings } = judge({ ...seen, manifest: { ...seen.manifest, content } }, { command: 'lint' });
  expect(findings.filter(({ rule }) => rule === 'block-color-malformed')).toHaveLength(200);
  expect(findings[100]!.column).toBeGreaterThan(1);
  expect(reads).toBeLessThan(5);
});

test.each<[string, (file: string) => void]>([
  ['changed', (file) => appendFileSync(file, ' ')],
  ['deleted', (file) => rmSync(file)],
])('the text of a large file that was %s meanwhile is not read again, which is an error', (_, change) => {
  const file = join(folder(), 'registry.json');
  writeFileSync(file, usual());
  const content = read(file);
  expect(content.text).toBe(usual());
  releaseText(content);
  change(file);
  expect(() => content.text).toThrow(/registry.json was changed while it was being read/);
});

test('a large file that is not UTF-8 is stored as base64', () => {
  const file = join(folder(), 'registry.json');
  const bytes = Buffer.concat([Buffer.from(large()), Buffer.from([0xff])]);
  writeFileSync(file, bytes);
  expect(read(file)).toEqual({ text: null, base64: bytes.toString('base64'), bytes: bytes.length, cut: false });
});
