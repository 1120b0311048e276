import { message } from '../../core/text/message.ts';
import { placeholderIcon } from '../../author/placeholder-icon.ts';
import { AppregError } from '../../core/errors/error.ts';
import type { IconFile } from '../../publish/described-app.ts';
import { iconFromBytes } from '../../release/inspect-icon.ts';
import type { Context } from '../config/context.ts';
import { isHttpUrl } from '../../core/url/url.ts';
import { readInputFile } from '../io/input-file.ts';

/**
 * The icon given by `--icon` or an answer: a URL unchanged, a file by its content, or for '' at a terminal a generated
 * one. Throws AppregError: exit 1 if the file is not a PNG or SVG, exit 2 if it cannot be read.
 */
export function iconFrom(context: Context, key: string, color: string, icon: string): IconFile | { url: string } {
  if (isHttpUrl(icon)) return { url: icon };
  if (icon === '') {
    if (context.options.yes === true || !context.terminal.interactive)
      throw new AppregError('option-invalid', message`--icon is empty.`, message`Give a PNG or SVG file, or a URL.`);
    context.terminal.log(
      message`An icon was generated from the first letter; save your own as apps/${key}/icon.svg before you publish.`,
    );
  }
  const bytes = icon === '' ? Buffer.from(placeholderIcon(key, color)) : readInputFile(context.cwd, icon);
  return iconFromBytes(bytes, icon);
}
