import { iconNotImage } from '../../../../src/core/rules/icons/icon-not-image.ts';
import { seenIcon, SVG } from '../../../support/icons.ts';
import { chunk, END, header, pixels, png, PNG } from '../../../support/png-builder.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { hop, probe, web } from '../../../support/probes.ts';

const NS = 'xmlns="http://www.w3.org/2000/svg"';
const hex = (bytes: string) => seenIcon(Buffer.from(bytes, 'hex'));

/** The first bytes of files of other kinds, by cause. */
const OTHER_KINDS = {
  heic: '0000001c6674797068656963',
  bmp: '424d0000000000000000',
  tiff: '49492a00',
  zip: '504b0304',
  '7z': '377abcaf271c',
  rar: '526172211a07',
  xz: 'fd377a585a00',
  bzip2: '425a6839',
  lz4: '04224d18',
  lzip: '4c5a4950',
  zlib: '789c636400',
  compress: '1f9d90',
  'gzip-as-text': '1fefbfbd08',
};

ruleTable(iconNotImage, {
  clean: [
    ['a PNG', seenIcon(PNG)],
    ['an SVG', seenIcon(SVG)],
    ['an SVG with a DOCTYPE', seenIcon(`<?xml version="1.0"?><!DOCTYPE svg>${SVG}`)],
    [
      'an SVG with the entities of a drawing program, which another rule reports',
      seenIcon(`<!DOCTYPE svg [<!ENTITY a "b">]>${SVG}`),
    ],
    ['an SVG with a viewBox that browsers ignore', seenIcon(`<svg ${NS} viewBox="0 0 -8 -8"/>`)],
    ['an SVG with a script, which another rule reports', seenIcon(`<svg ${NS}><script/></svg>`)],
    ['an SVG without any size', seenIcon(`<svg ${NS}/>`)],
    ['a PNG that our own limit cut off', seenIcon(PNG, 60)],
    [
      'a PNG of many pixels, which another rule reports',
      seenIcon(png(header({ width: 20_000, height: 20_000 }), pixels(100), END)),
    ],
  ],
  faulty: [
    [
      'a palette of four bytes',
      seenIcon(png(header({ colour: 3 }), chunk('PLTE', Buffer.alloc(4)), pixels(20), END)),
      { cause: 'png-palette', message: '4 bytes, not a multiple of three' },
    ],
    [
      'a palette in a grayscale image',
      seenIcon(png(header({ colour: 0 }), chunk('PLTE', Buffer.alloc(3)), pixels(20), END)),
      { cause: 'png-palette-ignored', severity: 'warning' },
    ],
    [
      'more pixels than browsers decode',
      seenIcon(png(header({ width: 30_000, height: 30_000 }), pixels(100), END)),
      { cause: 'png-dimensions', advice: 'Scale it down' },
    ],
    ['an empty file', seenIcon(''), { cause: 'empty', message: '0 bytes' }],
    [
      'a JPEG',
      hex('ffd8ffe000104a464946'),
      { cause: 'jpeg', message: 'is a JPEG image; icons are PNG or SVG', advice: 'Convert' },
    ],
    ['a GIF', hex('474946383961'), { cause: 'gif' }],
    ['a WebP', hex('52494646aaaaaaaa57454250'), { cause: 'webp' }],
    ['an AVIF', hex('0000001c6674797061766966'), { cause: 'avif' }],
    ...Object.entries(OTHER_KINDS).map(([cause, head]) => [`different bytes: ${cause}`, hex(head), { cause }] as const),
    ['Base64 of gzip', seenIcon('H4sIAAAAAAAAA0vLzAEAqfJLdgMAAAA='), { cause: 'gzip-as-base64' }],
    ['a tar', seenIcon(Buffer.concat([Buffer.alloc(257), Buffer.from('ustar'), Buffer.alloc(250)])), { cause: 'tar' }],
    [
      'a huge SVG',
      seenIcon(`<svg ${NS}>${' '.repeat(9_000_000)}</svg>`),
      { cause: 'svg-not-read', severity: 'warning' },
    ],
    ['an ICO', hex('000001000100'), { cause: 'ico' }],
    ['an HTML page', seenIcon('<!doctype html><title>Not found</title>'), { cause: 'html', message: 'HTML page' }],
    ['a Git LFS pointer', seenIcon('version https://git-lfs.github.com/spec/v1\n'), { cause: 'git-lfs-pointer' }],
    [
      'a PHP warning',
      seenIcon('<br />\n<b>Warning</b>:  fopen() in <b>/srv/icon.php</b> on line <b>3</b><br />\n'),
      { cause: 'program-message', message: 'a PHP warning (“Warning: fopen() in /srv/icon.php on line 3”)' },
    ],
    ['an SVG in UTF-32', hex('3c000000730000007600000067000000'), { cause: 'utf-32', message: 'UTF-32' }],
    [
      'a compressed SVG under a label that nothing is decoded for',
      seenIcon(Buffer.from('1f8b0800', 'hex'), Infinity, web(probe(hop({ 'content-encoding': 'gzip, identity' })))),
      {
        cause: 'gzip',
        message: 'its Content-Encoding (gzip, identity) combines identity with another coding',
        advice: 'Content-Encoding: gzip and nothing else',
      },
    ],
    ['a compressed SVG', hex('1f8b0800'), { cause: 'gzip', advice: 'Content-Encoding' }],
    [
      'an SVG compressed with zstd',
      hex('28b52ffd0458c10000'),
      { cause: 'zstd', message: 'is zstd-compressed', advice: 'Serve the uncompressed file' },
    ],
    [
      "a store's error",
      seenIcon('<Error><Code>NoSuchKey</Code></Error>'),
      { cause: 'xml', evidence: { kind: 'xml', bytes: 37 } },
    ],
    ['JSON', seenIcon('{}'), { cause: 'json' }],
    ['text', seenIcon('../icons/a.svg'), { cause: 'text' }],
    ['unknown bytes', hex('00010203'), { cause: 'unknown', message: 'neither PNG nor SVG.' }],
    ['a PDF', seenIcon('%PDF-1.7'), { cause: 'pdf', message: 'looks like: pdf' }],
    [
      'an animation whose image for other decoders is corrupt',
      seenIcon(png(header(), chunk('acTL', Buffer.alloc(8)), pixels(3), END)),
      { cause: 'png-data-short' },
    ],
    ['half of a PNG', seenIcon(PNG.subarray(0, 50)), { cause: 'png-truncated', message: 'corrupt PNG' }],
    [
      'a PNG with a wrong checksum',
      seenIcon(png(header(), chunk('IDAT', Buffer.from('x'), 1), END)),
      { cause: 'png-crc', message: 'IDAT' },
    ],
    ['a PNG without pixels', seenIcon(png(header(), END)), { cause: 'png-no-data' }],
    [
      "a PNG in Apple's variant",
      seenIcon(png(chunk('CgBI', Buffer.alloc(4)), header())),
      { cause: 'png-apple', advice: 'original' },
    ],
    [
      'data behind a PNG',
      seenIcon(Buffer.concat([PNG, Buffer.from('x')])),
      { cause: 'png-trailing-data', severity: 'note', message: "The icon's PNG: 1 byte after the end" },
    ],
    ['half of an SVG', seenIcon(SVG.slice(0, 80)), { cause: 'svg-syntax', message: 'corrupt SVG' }],
    [
      'an SVG without namespace',
      seenIcon('<svg width="1" height="1"/>'),
      { cause: 'svg-no-namespace', advice: 'xmlns="http://www.w3.org/2000/svg"' },
    ],
    ['an SVG in another namespace', seenIcon('<svg xmlns="x"/>'), { cause: 'svg-wrong-namespace' }],
    [
      'an SVG that is not UTF-8',
      seenIcon(Buffer.from(`<svg ${NS}><title>ß</title></svg>`, 'latin1')),
      { cause: 'svg-encoding' },
    ],
    [
      'an SVG of size zero',
      seenIcon(`<svg ${NS} width="0" height="0"/>`),
      { cause: 'svg-size', evidence: { width: 0, height: 0 } },
    ],
    [
      'an SVG of negative size',
      seenIcon(`<svg ${NS} width="-1" height="4"/>`),
      { cause: 'svg-size', evidence: { width: -1, height: 4 } },
    ],
    [
      'an SVG with an empty viewBox',
      seenIcon(`<svg ${NS} width="8" height="8" viewBox="0 0 0 8"/>`),
      { cause: 'svg-size' },
    ],
    [
      'an SVG in an encoding that Chromium does not read',
      seenIcon(Buffer.from(`<?xml version="1.0" encoding="iso-8859-1"?><svg ${NS}><title>ß</title></svg>`, 'latin1')),
      { cause: 'svg-not-utf-8', severity: 'warning', advice: 'UTF-8' },
    ],
    [
      'an SVG that is nested too deep',
      seenIcon(`<svg ${NS}>${'<g>'.repeat(300)}`),
      { cause: 'svg-too-complex', severity: 'warning' },
    ],
    ['XML that breaks before its root', seenIcon('<?xml version="1.0"?><!-- no end'), { cause: 'xml-syntax' }],
  ],
});
