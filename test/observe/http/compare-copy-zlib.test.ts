import { gzipSync, type ZlibOptions } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { readCopy } from '../../../src/observe/http/compare-copy.ts';

/** A zlib without the option `info`, which the types of Node do not have. */
vi.mock('node:zlib', async (original) => {
  const zlib = await original<typeof import('node:zlib')>();
  return {
    ...zlib,
    inflateRawSync: (body: Buffer, options: ZlibOptions) => zlib.inflateRawSync(body, { ...options, info: false }),
  };
});

test('a zlib without the option info does not make each copy a truncated one', () => {
  const reader = readCopy(['gzip'], { sha256: '', bytes: 1, text: null, isImage: false }, 1e6);
  void reader.write(gzipSync('{}'));
  expect(() => reader.end()).toThrow('zlib does not support the option info.');
});
