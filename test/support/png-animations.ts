import { deflateSync } from 'node:zlib';
import { chunk, END, header, png } from './png-builder.ts';

/** Animated PNG files with faults, with what Chromium shows of their first frame, and the verdict. */

type PngRow = [name: string, bytes: Buffer, shown: 'all' | 'part' | 'none' | 'refused', verdict: string, why?: string];

const PACKED = deflateSync(Buffer.alloc(52));
const PIXELS = chunk('IDAT', PACKED);
const ANIMATED = 'error png-animation';
const DISTURBED = 'warning png-frame';

function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, 4 * i);
  return bytes;
}

interface FrameFields {
  width?: number;
  height?: number;
  x?: number;
  dispose?: number;
  blend?: number;
}

function frameData(number: number, { width = 4, height = 4, x = 0, dispose = 0, blend = 0 }: FrameFields): Buffer {
  return Buffer.concat([numbers(number, width, height, x, 0), Buffer.from([0, 100, 3, 232, dispose, blend])]);
}
const frame = (number: number, fields: FrameFields = {}): Buffer => chunk('fcTL', frameData(number, fields));
const part = (number: number, data: Uint8Array = PACKED): Buffer =>
  chunk('fdAT', Buffer.concat([numbers(number), data]));
const declared = (frames = 2): Buffer => chunk('acTL', numbers(frames, 0));
const image = (...chunks: Buffer[]): Buffer => png(header({ colour: 2 }), ...chunks, END);
/** The image is the first frame; these chunks follow. */
const second = (...chunks: Buffer[]): Buffer => image(declared(), frame(0), PIXELS, ...chunks);
/** The first frame is behind the image. */
const first = (...chunks: Buffer[]): Buffer => image(declared(), PIXELS, ...chunks);

export const PNG_ANIMATIONS: readonly PngRow[] = [
  ['two frames', second(frame(1), part(2)), 'all', ''],
  [
    'pixels of a frame in two chunks',
    second(frame(1), part(2, PACKED.subarray(0, 5)), part(3, PACKED.subarray(5))),
    'all',
    '',
  ],
  [
    'a smaller second frame',
    second(frame(1, { width: 2, height: 2, x: 2 }), part(2, deflateSync(Buffer.alloc(14)))),
    'all',
    '',
  ],
  ['no second frame', second(), 'all', ''],
  ['more frames than declared', image(declared(1), frame(0), PIXELS, frame(1), part(2)), 'all', ''],
  ['frames that are not declared', image(frame(0), PIXELS, frame(1), part(9)), 'all', ''],
  ['a declaration behind the pixels', image(PIXELS, declared(), frame(0), part(9)), 'all', ''],
  ['a declaration of no frames', image(declared(0), PIXELS, part(9)), 'all', ''],
  ['a declaration that is too short', image(chunk('acTL', numbers(2)), PIXELS, part(9)), 'all', ''],

  ['pixels of a frame with another number', second(frame(1), part(9)), 'all', DISTURBED],
  [
    'pixels of a frame with the same number',
    second(frame(1), part(2, PACKED.subarray(0, 5)), part(2, PACKED.subarray(5))),
    'all',
    DISTURBED,
  ],
  ['pixels of a frame in three bytes', second(frame(1), chunk('fdAT', Buffer.alloc(3))), 'all', DISTURBED],
  ['pixels of a frame in no bytes', second(frame(1), chunk('fdAT')), 'all', DISTURBED],
  ['a number without pixels', second(frame(1), part(2, Buffer.alloc(0))), 'all', DISTURBED],
  ['pixels before their frame', second(part(1), frame(2), part(3)), 'all', DISTURBED],
  ['a frame without pixels', second(frame(1)), 'all', DISTURBED],
  ['a frame without pixels before another', second(frame(1), frame(2), part(3)), 'all', DISTURBED],
  ['two frames before the pixels', image(declared(), frame(0), frame(1), PIXELS, part(2)), 'all', DISTURBED],
  ['a second frame with another number', second(frame(5), part(6)), 'all', DISTURBED],
  ['a second frame that is too wide', second(frame(1, { width: 5 }), part(2)), 'all', DISTURBED],
  ['a second frame beside the image', second(frame(1, { x: 3 }), part(2)), 'all', DISTURBED],
  ['a second frame without width', second(frame(1, { width: 0 }), part(2)), 'all', DISTURBED],
  ['a second frame with an unknown disposal', second(frame(1, { dispose: 3 }), part(2)), 'all', DISTURBED],
  ['a second frame with an unknown blending', second(frame(1, { blend: 2 }), part(2)), 'all', DISTURBED],
  ['a second frame that is too short', second(chunk('fcTL', numbers(1)), part(2)), 'all', DISTURBED],
  ['a second frame that is too long', second(chunk('fcTL', Buffer.alloc(27)), part(2)), 'all', DISTURBED],
  ['a wrong checksum of a second frame', second(chunk('fcTL', frameData(1, {}), 1), part(2)), 'all', DISTURBED],
  [
    'a wrong checksum of its pixels',
    second(frame(1), chunk('fdAT', Buffer.concat([numbers(2), PACKED]), 1)),
    'all',
    DISTURBED,
  ],
  ['pixels of a frame that are no zlib data', second(frame(1), part(2, Buffer.from('no zlib data'))), 'all', DISTURBED],
  ['too few pixels of a frame', second(frame(1), part(2, deflateSync(Buffer.alloc(20)))), 'all', DISTURBED],
  [
    'a filter that does not exist in a frame',
    second(frame(1), part(2, deflateSync(Buffer.alloc(52, 9)))),
    'all',
    DISTURBED,
  ],

  ['a first frame behind the image', first(frame(0), part(1)), 'all', ''],
  [
    'a smaller first frame behind the image',
    first(frame(0, { width: 2, height: 2 }), part(1, deflateSync(Buffer.alloc(14)))),
    'part',
    '',
    'the frame covers a part of the image',
  ],
  ['a fault in the frame after that', first(frame(0), part(1), frame(7), part(8)), 'all', DISTURBED],
  ['a fault in the pixels after that', first(frame(0), part(1), frame(2), part(8)), 'all', DISTURBED],
  ['pixels of the first frame with another number', first(frame(0), part(7)), 'none', ANIMATED],
  ['pixels of the first frame in two bytes', first(frame(0), chunk('fdAT', Buffer.alloc(2))), 'none', ANIMATED],
  [
    'pixels of the first frame that are no zlib data',
    first(frame(0), part(1, Buffer.from('no zlib data'))),
    'none',
    ANIMATED,
  ],
  ['a first frame without pixels', first(frame(0)), 'none', ANIMATED],
  ['a first frame that is too wide', first(frame(0, { width: 9 }), part(1)), 'none', ANIMATED],
  ['a first frame with another number', first(frame(3), part(4)), 'none', ANIMATED],
  ['a first frame that is too short', first(chunk('fcTL', numbers(0)), part(1)), 'none', ANIMATED],
  ['pixels without a frame', first(part(0)), 'none', ANIMATED],
  [
    'a wrong checksum of the only frame',
    image(declared(), chunk('fcTL', frameData(0, {}), 1), PIXELS),
    'none',
    ANIMATED,
  ],
  ['pixels of a frame before the image', image(declared(), frame(0), part(1), PIXELS), 'refused', ANIMATED],
  ['pixels of a frame before the image, undeclared', image(part(0), PIXELS), 'refused', ANIMATED],
  ['an undeclared frame with another number', image(frame(9), PIXELS), 'refused', ANIMATED],
  ['an undeclared frame that is too narrow', image(frame(0, { width: 1 }), PIXELS), 'refused', ANIMATED],
];
