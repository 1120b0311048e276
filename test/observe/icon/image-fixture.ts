/** Shorthands for the tests of inspectImage(). */

export const NS = 'xmlns="http://www.w3.org/2000/svg"';

export const svg = (inside: string, attributes = '') =>
  `<svg ${NS} xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${inside}</svg>`;
