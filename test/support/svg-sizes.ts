/** Sizes of SVG files, with what Chromium shows of a shape that fills them, and the verdict. */

type SizeRow = [name: string, text: string, shown: 'all' | 'none', verdict: string];

const row = (attributes: string, shown: SizeRow[2]): SizeRow => [
  `the size ${attributes}`,
  `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}><rect width="100%" height="100%"/></svg>`,
  shown,
  shown === 'all' ? '' : 'error svg-size',
];
const withWidth = (width: string): string => `width="${width}" height="8"`;

/** Zero or less, in any unit. */
const NOTHING =
  '0 0px -0 .0 +0 00 0e0 0e5px 0Q 0em 0EM 0rem 0ex 0ch 0cap 0ic 0lh 0vw 0vh 0vi 0vb 0vmin 0vmax 0svw 0dvh 0cqw -1em -.5';
/** Not a length: ignored. */
const IGNORED = '0. 0.px . --0 0x 0emx 0deg 0; 0e+ NaN auto 0%';
const EMPTY_BOXES = [
  '0 0 0 8',
  '0,0,0,8',
  '0 ,0 , 0 ,8',
  '0 0-0 8',
  '0 0.0.0.8',
  '0 0 0e0 8',
  '0 0 +0 8',
  '-0 -0 -0 -0',
  ' 0 0 8 0 ',
];
const IGNORED_BOXES = [
  '0 0 -1 8',
  ',0 0 0 8',
  '0 0 0 8,',
  '0 0 0,,8',
  '0 0 0 8 9',
  '0 0 0. 8',
  '0 0 0x0 8',
  '0 0 0e 8',
  '0 0 0px 8',
  '0;0;0;8',
  '0 0\u00a00 8',
  '0 0 0',
];

export const SVG_SIZES: readonly SizeRow[] = [
  ...NOTHING.split(' ').map((width) => row(withWidth(width), 'none')),
  ...IGNORED.split(' ').map((width) => row(withWidth(width), 'all')),
  ...EMPTY_BOXES.map((box) => row(`viewBox="${box}"`, 'none')),
  ...IGNORED_BOXES.map((box) => row(`viewBox="${box}"`, 'all')),
];
