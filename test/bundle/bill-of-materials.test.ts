import { describe, expect, test } from 'vitest';
import { type BillSubject, billOfMaterials } from '../../src/bundle/packages/bill-of-materials.ts';
import type { Materials } from '../../src/bundle/packages/materials.ts';
import { describedArtifact } from '../../src/core/registry/bill-of-materials.ts';
import { billErrors } from '../support/cyclonedx.ts';
import { built } from './tree.ts';

const SUBJECT: BillSubject = { name: 'clock', version: '1.2.0', checksum: `sha256:${'0'.repeat(64)}` };

function errorsOf(bill: Uint8Array): Promise<unknown> {
  return billErrors(Buffer.from(bill).toString());
}

interface Bill {
  serialNumber: string;
  metadata: { component: object };
  components: Record<string, unknown>[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

function parsed(bill: Uint8Array): Bill {
  return JSON.parse(Buffer.from(bill).toString());
}

/** A bill of materials of one package with this license. */
function billFor(license: string | null, name = 'a', version: string | null = '1.0.0'): Uint8Array {
  const packages = [{ name, version, license }];
  const materials: Materials = { packages, imports: new Map([['', [`${name}@${version}`]]]), esbuild: '0.28.2' };
  return billOfMaterials(materials, SUBJECT);
}

test('the validator refuses what is not valid', async () => {
  expect(await errorsOf(Buffer.from('{"bomFormat":"CycloneDX","specVersion":"1.6","x":1}'))).not.toBeNull();
});

describe('a bill of materials', () => {
  const FILES = {
    'main.ts': `import { a } from 'a'; import { b } from '@scope/b'; export const app = { a, b };`,
    'node_modules/a/package.json': '{"name":"a","version":"1.0.0","license":"(MIT OR ISC)"}',
    'node_modules/a/index.js': `import { c } from 'barrel'; export const a = String(c);`,
    'node_modules/@scope/b/package.json': '{"name":"@scope/b","version":"2.0.0-rc.1+x","license":"MIT"}',
    'node_modules/@scope/b/index.js': 'export const b = Date.now();',
    // Nothing of it is in the output, but it leads to what is.
    'node_modules/barrel/package.json': '{"name":"barrel","version":"9.0.0"}',
    'node_modules/barrel/index.js': `export * from 'c';`,
    'node_modules/c/package.json': '{"name":"c","version":"3.0.0"}',
    'node_modules/c/index.js': 'export const c = Math.random();',
  };

  test('lists the packages with code in the output, and what imports them', async () => {
    const { materials } = await built(FILES);
    const bill = billOfMaterials(materials!, SUBJECT);
    expect(await errorsOf(bill)).toBeNull();
    const { components, dependencies, metadata } = parsed(bill);
    expect(metadata.component).toEqual({
      type: 'application',
      'bom-ref': 'artifact',
      name: 'clock',
      version: '1.2.0',
      hashes: [{ alg: 'SHA-256', content: '0'.repeat(64) }],
    });
    expect(components).toEqual([
      {
        type: 'library',
        'bom-ref': 'package:@scope/b@2.0.0-rc.1+x',
        group: '@scope',
        name: 'b',
        version: '2.0.0-rc.1+x',
        licenses: [{ license: { id: 'MIT', acknowledgement: 'declared' } }],
        purl: 'pkg:npm/%40scope/b@2.0.0-rc.1+x',
      },
      {
        type: 'library',
        'bom-ref': 'package:a@1.0.0',
        name: 'a',
        version: '1.0.0',
        licenses: [{ expression: '(MIT OR ISC)', acknowledgement: 'declared' }],
        purl: 'pkg:npm/a@1.0.0',
      },
      { type: 'library', 'bom-ref': 'package:c@3.0.0', name: 'c', version: '3.0.0', purl: 'pkg:npm/c@3.0.0' },
    ]);
    expect(dependencies).toEqual([
      { ref: 'artifact', dependsOn: ['package:@scope/b@2.0.0-rc.1+x', 'package:a@1.0.0'] },
      { ref: 'package:@scope/b@2.0.0-rc.1+x', dependsOn: [] },
      { ref: 'package:a@1.0.0', dependsOn: ['package:c@3.0.0'] },
      { ref: 'package:c@3.0.0', dependsOn: [] },
    ]);
  });

  test('is read as it was written', async () => {
    const { materials } = await built(FILES);
    expect(describedArtifact(JSON.parse(Buffer.from(billOfMaterials(materials!, SUBJECT)).toString()))).toBe(
      '0'.repeat(64),
    );
  });

  test('has the same bytes again, and another serial number for another content', () => {
    expect(billFor('MIT')).toEqual(billFor('MIT'));
    const serials = [billFor('MIT'), billFor('ISC')].map((bill) => parsed(bill).serialNumber);
    expect(new Set(serials).size).toBe(2);
    for (const serial of serials)
      expect(serial).toMatch(/^urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });

  test('of an app without packages has no components', async () => {
    const { materials } = await built({ 'main.ts': 'export const a = 1;' });
    const bill = billOfMaterials(materials!, { ...SUBJECT, version: null });
    expect(await errorsOf(bill)).toBeNull();
    expect(parsed(bill).components).toEqual([]);
  });

  test.each<[license: string | null, shown: object[] | undefined]>([
    ['MIT', [{ license: { id: 'MIT', acknowledgement: 'declared' } }]],
    ['GPL-2.0+', [{ expression: 'GPL-2.0+', acknowledgement: 'declared' }]],
    [
      'GPL-2.0-only WITH Classpath-exception-2.0',
      [{ expression: 'GPL-2.0-only WITH Classpath-exception-2.0', acknowledgement: 'declared' }],
    ],
    ['LicenseRef-acme', [{ expression: 'LicenseRef-acme', acknowledgement: 'declared' }]],
    ['UNLICENSED', [{ license: { name: 'UNLICENSED', acknowledgement: 'declared' } }]],
    ['SEE LICENSE IN x', [{ license: { name: 'SEE LICENSE IN x', acknowledgement: 'declared' } }]],
    [null, undefined],
  ])('is valid with the license %s', async (license, shown) => {
    const bill = billFor(license);
    expect(await errorsOf(bill)).toBeNull();
    expect(parsed(bill).components[0]?.['licenses']).toEqual(shown);
  });

  test.each(['JSONStream', '@Scope/Name', 'ä b', 'a/b/c', '../x', '@', '%40x', 'a?b#c', '__proto__'])(
    'is valid with the package name %j',
    async (name) => {
      expect(await errorsOf(billFor('MIT', name))).toBeNull();
      expect(await errorsOf(billFor('MIT', name, null))).toBeNull();
    },
  );
});

test.each([null, [], 'CycloneDX', {}, { bomFormat: 'SPDX' }, { bomFormat: 'CycloneDX', components: [] }])(
  'no artifact is described by %j',
  (value) => {
    expect(describedArtifact(value)).toBeNull();
  },
);
