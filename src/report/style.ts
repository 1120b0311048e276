/** Colors as functions, so that reporters stay pure. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  yellow(text: string): string;
  green(text: string): string;
  cyan(text: string): string;
  underline(text: string): string;
}

const same = (text: string): string => text;

export const PLAIN: Style = {
  bold: same,
  dim: same,
  red: same,
  yellow: same,
  green: same,
  cyan: same,
  underline: same,
};
