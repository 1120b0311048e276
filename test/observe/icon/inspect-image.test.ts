import * as builder from '../../support/png-builder.ts';
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { inspectImage } from '../../../src/observe/icon/inspect-image.ts';
import { svg } from './image-fixture.ts';

/** Kinds of images, and PNG icons. */

const { chunk, END, header, PNG, pixels, png, SIGNATURE } = builder;

describe('the kind of an image', () => {
  test.each([
    ['empty', ''],
    ['jpeg', 'ffd8ffe000104a464946'],
    ['gif', '474946383961'],
    ['webp', '52494646aaaaaaaa57454250'],
    ['avif', '0000001c6674797061766966'],
    ['heic', '0000001c6674797068656963'],
    ['ico', '000001000100'],
    ['bmp', '424d36000000000000003600'],
    ['tiff', '49492a0008000000'],
    ['gzip', '1f8b0800'],
    ['unknown', '0001020304'],
    ['html', Buffer.from('<!DOCTYPE html><p><svg></svg>').toString('hex')],
    ['html', Buffer.from('\n <html>').toString('hex')],
    ['html', Buffer.from('<html xmlns="http://www.w3.org/1999/xhtml"/>').toString('hex')],
    ['html', Buffer.from('<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>').toString('hex')],
    ['json', Buffer.from('{"error":1}').toString('hex')],
    ['xml', Buffer.from('<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>').toString('hex')],
    ['git-lfs-pointer', Buffer.from('version https://git-lfs.github.com/spec/v1\n').toString('hex')],
    ['text', Buffer.from('404: Not Found').toString('hex')],
  ])('is recognized: %s', (kind, hex) => {
    expect(inspectImage(Buffer.from(hex, 'hex'))).toEqual({ kind, width: null, height: null, fault: null, active: [] });
  });
});

describe('a PNG', () => {
  const two = deflateSync(Buffer.alloc(68));
  test.each<{ name: string; bytes: Buffer; width: number; height: number }>([
    { name: 'a small one', bytes: PNG, width: 4, height: 4 },
    {
      name: 'pixels in several chunks',
      bytes: png(header(), chunk('IDAT', two.subarray(0, 5)), chunk('IDAT', two.subarray(5)), END),
      width: 4,
      height: 4,
    },
    {
      name: 'a palette',
      bytes: png(header({ colour: 3, depth: 1 }), chunk('PLTE', Buffer.alloc(6)), pixels(8), END),
      width: 4,
      height: 4,
    },
    {
      name: 'one bit per pixel',
      bytes: png(header({ width: 9, colour: 0, depth: 1 }), pixels(12), END),
      width: 9,
      height: 4,
    },
    { name: '16 bits', bytes: png(header({ depth: 16, colour: 4 }), pixels(68), END), width: 4, height: 4 },
    {
      name: 'interlaced',
      bytes: png(
        header({ width: 8, height: 8, colour: 0, interlace: 1 }),
        pixels(1 + 1 + 2 + 2 + 4 + 4 + 4 * 3 + 8 * 4 + 4 * 4 + 5),
        END,
      ),
      width: 8,
      height: 8,
    },
    {
      name: 'interlaced, one pixel',
      bytes: png(header({ width: 1, height: 1, colour: 0, interlace: 1 }), pixels(2), END),
      width: 1,
      height: 1,
    },
    {
      name: 'ancillary chunks',
      bytes: png(header(), chunk('tEXt', Buffer.from('a\0b')), pixels(), chunk('prIV'), END),
      width: 4,
      height: 4,
    },
    {
      name: 'a wrong checksum of an ancillary chunk',
      bytes: png(header(), chunk('tEXt', Buffer.from('a\0b'), 1), pixels(), END),
      width: 4,
      height: 4,
    },
    { name: 'more pixels than needed', bytes: png(header(), pixels(90), END), width: 4, height: 4 },
    {
      name: 'pixels without their checksum',
      bytes: png(header(), chunk('IDAT', two.subarray(0, -4)), END),
      width: 4,
      height: 4,
    },
    {
      name: 'large and sound',
      bytes: png(header({ width: 3000, height: 3000, colour: 0 }), pixels(3001 * 3000), END),
      width: 3000,
      height: 3000,
    },
  ])('is valid: $name', ({ bytes, width, height }) => {
    expect(inspectImage(bytes)).toEqual({ kind: 'png', width, height, fault: null, active: [] });
  });

  test.each<{ name: string; bytes: Buffer; code: string }>([
    { name: 'the signature alone', bytes: SIGNATURE, code: 'truncated' },
    { name: 'cut in the header', bytes: PNG.subarray(0, 20), code: 'truncated' },
    { name: 'cut in the pixels', bytes: PNG.subarray(0, 50), code: 'truncated' },
    { name: 'cut before the end', bytes: PNG.subarray(0, -12), code: 'truncated' },
    { name: 'cut in the last bytes', bytes: PNG.subarray(0, -1), code: 'truncated' },
    {
      name: 'a wrong checksum of IHDR',
      bytes: png(chunk('IHDR', header().subarray(8, 21), 1), pixels(), END),
      code: 'crc',
    },
    { name: 'a wrong checksum of IDAT', bytes: png(header(), chunk('IDAT', two, 1), END), code: 'crc' },
    {
      name: 'a wrong checksum of IEND',
      bytes: png(header(), pixels(), chunk('IEND', Buffer.alloc(0), 1)),
      code: 'crc',
    },
    { name: 'no header', bytes: png(pixels(), END), code: 'header' },
    { name: 'a short header', bytes: png(chunk('IHDR', Buffer.alloc(5)), pixels(), END), code: 'header' },
    { name: 'no width', bytes: png(header({ width: 0 }), pixels(), END), code: 'header' },
    { name: 'a width beyond all bounds', bytes: png(header({ width: 2 ** 31 }), pixels(), END), code: 'header' },
    { name: 'an unknown colour type', bytes: png(header({ colour: 5 }), pixels(), END), code: 'header' },
    {
      name: 'a depth that the colour type forbids',
      bytes: png(header({ colour: 2, depth: 4 }), pixels(), END),
      code: 'header',
    },
    { name: 'no pixels', bytes: png(header(), END), code: 'no-data' },
    { name: 'no palette', bytes: png(header({ colour: 3 }), pixels(), END), code: 'no-palette' },
    {
      name: 'too few pixels for an interlaced image',
      bytes: png(header({ width: 8, height: 8, colour: 0, interlace: 1 }), pixels(78), END),
      code: 'data-short',
    },
    { name: 'too few pixels', bytes: png(header(), pixels(67), END), code: 'data-short' },
    {
      name: 'pixels that end in the middle',
      bytes: png(header(), chunk('IDAT', deflateSync(Buffer.from('abcdefgh'.repeat(9))).subarray(0, 6)), END),
      code: 'data-short',
    },
    {
      name: 'pixels that are not zlib data',
      bytes: png(header(), chunk('IDAT', Buffer.from('hello world')), END),
      code: 'data-broken',
    },
    {
      name: 'pixels whose own checksum is wrong',
      bytes: png(header(), chunk('IDAT', Buffer.concat([two.subarray(0, -1), Buffer.from([9])])), END),
      code: 'data-broken',
    },
    { name: 'an unknown critical chunk', bytes: png(header(), chunk('ABCD'), pixels(), END), code: 'chunk' },
    {
      name: 'pixels in chunks apart',
      bytes: png(header(), chunk('IDAT', two.subarray(0, 5)), chunk('tEXt'), chunk('IDAT', two.subarray(5)), END),
      code: 'chunk',
    },
    {
      name: 'a filter that does not exist',
      bytes: png(header(), chunk('IDAT', deflateSync(Buffer.alloc(68).fill(5, 34, 35))), END),
      code: 'data-broken',
    },
    {
      name: 'a filter that does not exist, interlaced',
      bytes: png(
        header({ width: 8, height: 8, colour: 0, interlace: 1 }),
        chunk('IDAT', deflateSync(Buffer.alloc(79).fill(9, 2, 3))),
        END,
      ),
      code: 'data-broken',
    },
    { name: 'garbage between chunks', bytes: png(header(), Buffer.from('garbage garbage'), END), code: 'chunk' },
    { name: "Apple's variant", bytes: png(chunk('CgBI', Buffer.alloc(4)), header(), pixels(), END), code: 'apple' },
    { name: 'data behind the end', bytes: Buffer.concat([PNG, Buffer.from('<script>')]), code: 'trailing-data' },
  ])('has a fault: $name', ({ bytes, code }) => {
    expect(inspectImage(bytes)).toMatchObject({ kind: 'png', fault: { code } });
  });

  test.each<[string, Buffer[]]>([
    ['a declaration of frames', [chunk('acTL', Buffer.alloc(8)), pixels()]],
    ['a frame', [chunk('fcTL', Buffer.alloc(26)), pixels()]],
    ['a frame behind the image', [pixels(), chunk('fdAT', Buffer.alloc(9))]],
  ])('of an animation is not read completely: %s', (_, chunks) => {
    const bytes = png(header(), ...chunks, END);
    expect(inspectImage(bytes)).toMatchObject({ kind: 'png', fault: null, unread: 'frames' });
  });

  test('of 20,000 by 20,000 pixels is not inflated to its end', () => {
    const bytes = png(
      header({ width: 20_000, height: 20_000 }),
      chunk('IDAT', deflateSync(Buffer.alloc(60_000_000))),
      END,
    );
    expect(inspectImage(bytes)).toMatchObject({ width: 20_000, height: 20_000, fault: null });
  });
});

test('random mutations of valid icons never throw', () => {
  let state = 7;
  const next = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % below;
  };
  const sound = [
    PNG,
    Buffer.from(`<?xml version="1.0"?><!DOCTYPE svg>${svg('<style>a{b:url(#c)}</style><image href="data:,x"/>')}`),
  ];
  for (let i = 0; i < 3000; i += 1) {
    const bytes = Buffer.from(sound[i % 2]!);
    for (let n = next(4) + 1; n > 0; n -= 1) bytes[next(bytes.length)] = next(256);
    const facts = inspectImage(bytes.subarray(0, next(3) === 0 ? next(bytes.length) : bytes.length));
    expect(JSON.parse(JSON.stringify(facts))).toEqual(facts);
  }
});
