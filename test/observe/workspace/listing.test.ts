import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AppFacts } from '../../../src/core/facts/facts.ts';
import { startJudging } from '../../../src/core/engine/judge.ts';
import type { Report } from '../../../src/core/findings/report.ts';
import { observeWorkspace } from '../../../src/observe/workspace/observe-workspace.ts';
import { openListing } from '../../../src/observe/workspace/other-names.ts';
import { caseInsensitiveFolder } from '../../support/case-insensitive.ts';

const BASE = 'https://apps.example.com/';
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>';
let root: string;
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), 'appreg-listing-'))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(folder: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** A registry of one app; `icon`, `metadata` and `artifact` are paths in its URLs. */
function registry(icon: string, metadata: string, artifact: string): { manifest: string; list: string } {
  const blockStyle = { iconUrl: BASE + icon, color: '#000000' };
  const app = { name: 'Clock', description: 'A clock.', blockStyle, appMetadataUrl: BASE + metadata };
  const version = { version: '1.0.0', artifactUrl: BASE + artifact, artifactChecksum: `sha256:${'0'.repeat(63)}1` };
  return { manifest: JSON.stringify({ apps: { clock: app } }), list: JSON.stringify({ versions: [version] }) };
}

async function lint(folder: string): Promise<{ report: Report; app: AppFacts | undefined }> {
  const judging = startJudging({ command: 'lint', target: folder, now: '2026-03-01T12:00:00.000Z' });
  let app: AppFacts | undefined;
  await observeWorkspace(
    { root: folder, manifest: 'registry.json', baseUrl: BASE },
    {
      manifest: (facts) => judging.manifest(facts),
      app(facts) {
        app = facts;
        judging.app(facts);
      },
      orphans: (files) => judging.orphans(files),
    },
    { nameOf: (path) => path },
  );
  return { report: judging.finish(0), app };
}

const found = ({ findings }: Report): unknown[] =>
  findings.map(({ rule, resource, cause, evidence }) => [rule, resource, cause, evidence['listed']]);

const URLS = registry('apps/clock/icon.svg', 'apps/clock/versions.json', 'apps/clock/versions/1.0.0.tar.gz');

describe('names that differ from the URL', () => {
  test.each([['without links'], ['with a link, so that paths are followed']])(
    'are reported for another case %s',
    async (how) => {
      put(root, {
        'registry.json': URLS.manifest,
        'apps/clock/Icon.SVG': SVG,
        'apps/clock/versions.json': URLS.list,
        'apps/clock/versions/1.0.0.TAR.gz': 'x',
      });
      if (how.startsWith('with a')) symlinkSync('apps/clock/Icon.SVG', join(root, 'link.svg'));
      const { report, app } = await lint(root);
      expect(found(report)).toEqual([
        ['file-name-differs', 'icon', 'case', 'apps/clock/Icon.SVG'],
        ['file-name-differs', 'artifact', 'case', 'apps/clock/versions/1.0.0.TAR.gz'],
      ]);
      expect(app?.icon.content).toEqual({ missing: { code: 'blocked-by', rule: 'file-name-differs' } });
      expect(report.findings[0]).toMatchObject({ file: 'registry.json', pointer: '/apps/clock/blockStyle/iconUrl' });
    },
  );

  test('are reported for the metadata file, whose app is hidden and which is not an orphan', async () => {
    put(root, { 'registry.json': URLS.manifest, 'apps/clock/icon.svg': SVG, 'apps/clock/Versions.json': URLS.list });
    const { report } = await lint(root);
    expect(found(report)).toEqual([['file-name-differs', 'metadata', 'case', 'apps/clock/Versions.json']]);
    expect(report.apps).toMatchObject([{ key: 'clock', visible: false, because: ['file-name-differs'] }]);
  });

  test('are one finding for all files in a folder', async () => {
    put(root, {
      'registry.json': URLS.manifest,
      'Apps/clock/icon.svg': SVG,
      'Apps/clock/versions.json': URLS.list,
      'Apps/clock/versions/1.0.0.tar.gz': 'x',
    });
    expect(found((await lint(root)).report)).toEqual([['file-name-differs', 'icon', 'case', 'Apps/clock/icon.svg']]);
  });

  test('are reported for another Unicode normalization', async () => {
    const { manifest, list } = registry('caf%C3%A9.svg', 'apps/clock/versions.json', 'a/1.0.0.tar.gz');
    put(root, { 'registry.json': manifest, 'cafe\u0301.svg': SVG, 'apps/clock/versions.json': list });
    const { report } = await lint(root);
    expect(found(report)).toContainEqual(['file-name-differs', 'icon', 'normalization', 'cafe\\u{301}.svg']);
  });

  test('are not reported without a similar name', async () => {
    put(root, { 'registry.json': URLS.manifest, 'apps/clock/versions.json': URLS.list, 'apps/clock/other.svg': SVG });
    expect(found((await lint(root)).report)).toEqual([]);
  });
});

test('the names of a folder are read once, and a missing folder has none', () => {
  const read: string[] = [];
  const listing = openListing(root, (folder) => {
    read.push(folder);
    if (folder.endsWith('gone')) throw Object.assign(new Error('gone'), { code: 'ENOENT' });
    return ['Icon.SVG'];
  });
  expect([listing('a/')?.has('icon.svg'), listing('a/')?.like('icon.svg')]).toEqual([false, ['Icon.SVG']]);
  expect(listing('gone')).toBe(null);
  expect(read).toEqual([join(root, 'a/'), join(root, 'gone')]);
});

test('the report on a case-insensitive file system is the same as on a case-sensitive one', async (context) => {
  const insensitive = caseInsensitiveFolder();
  if (typeof insensitive !== 'string') return context.skip(insensitive.missing);
  const files = { 'registry.json': URLS.manifest, 'apps/clock/icon.svg': SVG, 'apps/clock/versions.json': URLS.list };
  put(root, files);
  put(insensitive, files);
  expect((await lint(insensitive)).report.findings).toEqual([]);
  for (const folder of [root, insensitive]) {
    renameSync(join(folder, 'apps/clock/icon.svg'), join(folder, 'apps/clock/moved'));
    renameSync(join(folder, 'apps/clock/moved'), join(folder, 'apps/clock/Icon.SVG'));
  }
  const reports = [await lint(root), await lint(insensitive)];
  expect(reports.map(({ report }) => found(report))).toEqual([
    [['file-name-differs', 'icon', 'case', 'apps/clock/Icon.SVG']],
    [['file-name-differs', 'icon', 'case', 'apps/clock/Icon.SVG']],
  ]);
});
