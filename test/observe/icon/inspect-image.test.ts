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
    ['html', Buffer.from('<!DOCTYPE html><svg></svg>').toString('hex')],
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
  test.each<[string, Buffer, number, number]>([
    ['a small one', PNG, 4, 4],
    [
      'pixels in several chunks',
      png(header(), chunk('IDAT', two.subarray(0, 5)), chunk('IDAT', two.subarray(5)), END),
      4,
      4,
    ],
    ['a palette', png(header({ colour: 3, depth: 1 }), chunk('PLTE', Buffer.alloc(6)), pixels(8), END), 4, 4],
    ['one bit per pixel', png(header({ width: 9, colour: 0, depth: 1 }), pixels(12), END), 9, 4],
    ['16 bits', png(header({ depth: 16, colour: 4 }), pixels(68), END), 4, 4],
    [
      'interlaced',
      png(
        header({ width: 8, height: 8, colour: 0, interlace: 1 }),
        pixels(1 + 1 + 2 + 2 + 4 + 4 + 4 * 3 + 8 * 4 + 4 * 4 + 5),
        END,
      ),
      8,
      8,
    ],
    ['interlaced, one pixel', png(header({ width: 1, height: 1, colour: 0, interlace: 1 }), pixels(2), END), 1, 1],
    ['ancillary chunks', png(header(), chunk('tEXt', Buffer.from('a\0b')), pixels(), chunk('prIV'), END), 4, 4],
    [
      'a wrong checksum of an ancillary chunk',
      png(header(), chunk('tEXt', Buffer.from('a\0b'), 1), pixels(), END),
      4,
      4,
    ],
    ['more pixels than needed', png(header(), pixels(90), END), 4, 4],
    ['pixels without their checksum', png(header(), chunk('IDAT', two.subarray(0, -4)), END), 4, 4],
    ['large and sound', png(header({ width: 3000, height: 3000, colour: 0 }), pixels(3001 * 3000), END), 3000, 3000],
  ])('is valid: %s', (_, bytes, width, height) => {
    expect(inspectImage(bytes)).toEqual({ kind: 'png', width, height, fault: null, active: [] });
  });

  test.each<[string, Buffer, string]>([
    ['the signature alone', SIGNATURE, 'truncated'],
    ['cut in the header', PNG.subarray(0, 20), 'truncated'],
    ['cut in the pixels', PNG.subarray(0, 50), 'truncated'],
    ['cut before the end', PNG.subarray(0, -12), 'truncated'],
    ['cut in the last bytes', PNG.subarray(0, -1), 'truncated'],
    ['a wrong checksum of IHDR', png(chunk('IHDR', header().subarray(8, 21), 1), pixels(), END), 'crc'],
    ['a wrong checksum of IDAT', png(header(), chunk('IDAT', two, 1), END), 'crc'],
    ['a wrong checksum of IEND', png(header(), pixels(), chunk('IEND', Buffer.alloc(0), 1)), 'crc'],
    ['no header', png(pixels(), END), 'header'],
    ['a short header', png(chunk('IHDR', Buffer.alloc(5)), pixels(), END), 'header'],
    ['no width', png(header({ width: 0 }), pixels(), END), 'header'],
    ['a width beyond all bounds', png(header({ width: 2 ** 31 }), pixels(), END), 'header'],
    ['an unknown colour type', png(header({ colour: 5 }), pixels(), END), 'header'],
    ['a depth that the colour type forbids', png(header({ colour: 2, depth: 4 }), pixels(), END), 'header'],
    ['no pixels', png(header(), END), 'no-data'],
    ['no palette', png(header({ colour: 3 }), pixels(), END), 'no-palette'],
    [
      'too few pixels for an interlaced image',
      png(header({ width: 8, height: 8, colour: 0, interlace: 1 }), pixels(78), END),
      'data-short',
    ],
    ['too few pixels', png(header(), pixels(67), END), 'data-short'],
    [
      'pixels that end in the middle',
      png(header(), chunk('IDAT', deflateSync(Buffer.from('abcdefgh'.repeat(9))).subarray(0, 6)), END),
      'data-short',
    ],
    ['pixels that are not zlib data', png(header(), chunk('IDAT', Buffer.from('hello world')), END), 'data-broken'],
    [
      'pixels whose own checksum is wrong',
      png(header(), chunk('IDAT', Buffer.concat([two.subarray(0, -1), Buffer.from([9])])), END),
      'data-broken',
    ],
    ['an unknown critical chunk', png(header(), chunk('ABCD'), pixels(), END), 'chunk'],
    [
      'pixels in chunks apart',
      png(header(), chunk('IDAT', two.subarray(0, 5)), chunk('tEXt'), chunk('IDAT', two.subarray(5)), END),
      'chunk',
    ],
    [
      'a filter that does not exist',
      png(header(), chunk('IDAT', deflateSync(Buffer.alloc(68).fill(5, 34, 35))), END),
      'data-broken',
    ],
    [
      'a filter that does not exist, interlaced',
      png(
        header({ width: 8, height: 8, colour: 0, interlace: 1 }),
        chunk('IDAT', deflateSync(Buffer.alloc(79).fill(9, 2, 3))),
        END,
      ),
      'data-broken',
    ],
    ['garbage between chunks', png(header(), Buffer.from('garbage garbage'), END), 'chunk'],
    ["Apple's variant", png(chunk('CgBI', Buffer.alloc(4)), header(), pixels(), END), 'apple'],
    ['data behind the end', Buffer.concat([PNG, Buffer.from('<script>')]), 'trailing-data'],
  ])('has a fault: %s', (_, bytes, code) => {
    expect(inspectImage(bytes)).toMatchObject({ kind: 'png', fault: { code } });
  });

  test('of 30,000 by 30,000 pixels is not inflated to its end', () => {
    const bytes = png(
      header({ width: 30_000, height: 30_000 }),
      chunk('IDAT', deflateSync(Buffer.alloc(60_000_000))),
      END,
    );
    expect(inspectImage(bytes)).toMatchObject({ width: 30_000, height: 30_000, fault: null });
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
