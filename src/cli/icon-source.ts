import { message } from '../core/text/message.ts';
import { resolve } from 'node:path';
import { placeholderIcon } from '../author/placeholder-icon.ts';
import { printable } from '../core/text/text.ts';
import { AppregError } from '../core/errors.ts';
import { createDigester } from '../observe/digest/digest.ts';
import { inspectImage } from '../observe/icon/inspect-image.ts';
import type { IconFile } from '../publish/add-app.ts';
import type { Context } from './context.ts';
import { isUrl, readInputFile } from './input-file.ts';

/**
 * The icon given by `--icon` or an answer: a URL unchanged, a file by its content, or for '' at a terminal a generated
 * one. Throws AppregError: exit 1 if the file is not a PNG or SVG, exit 2 if it cannot be read.
 */
export function iconFrom(context: Context, key: string, color: string, icon: string): IconFile | { url: string } {
  if (isUrl(icon)) return { url: icon };
  if (icon === '') {
    if (context.options.yes === true || !context.terminal.interactive)
      throw new AppregError('option-invalid', message`--icon is empty.`, message`Give a PNG or SVG file, or a URL.`);
    context.terminal.log(
      message`An icon was generated from the first letter; save your own as apps/${key}/icon.svg before you publish.`,
    );
  }
  const bytes =
    icon === '' ? Buffer.from(placeholderIcon(key, color)) : readInputFile(resolve(context.cwd, icon), icon);
  return iconFromBytes(bytes, icon);
}

/**
 * An icon by its content.
 * @param name the user's name for it
 * @throws AppregError `icon-invalid` (exit 1) if it is not a PNG or SVG
 */
export function iconFromBytes(bytes: Uint8Array, name: string): IconFile {
  const image = inspectImage(bytes);
  if ((image.kind !== 'png' && image.kind !== 'svg') || image.fault) {
    const what = image.fault
      ? printable(image.fault.message)
      : `it is ${image.kind === 'empty' ? 'empty' : printable(image.kind)}`;
    throw new AppregError(
      'icon-invalid',
      message`${name} cannot be an icon: ${what}.`,
      message`An icon is a PNG or SVG image (detected by content, not by name).`,
      { effect: 'none' },
    );
  }
  const digester = createDigester(Infinity);
  digester.write(bytes);
  return { bytes, content: digester.end(), image };
}
