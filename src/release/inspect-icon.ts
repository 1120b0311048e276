import { message } from '../core/text/message.ts';
import { AppregError } from '../core/errors/error.ts';
import { faultSeverity } from '../core/registry/image-faults.ts';
import { printable } from '../core/text/text.ts';
import { createDigester } from '../observe/digest/digest.ts';
import { inspectImage } from '../observe/icon/inspect-image.ts';
import type { IconFile } from '../publish/described-app.ts';

/**
 * An icon by its content.
 * @param name the user's name for it
 * @throws AppregError `icon-invalid` (exit 1) if it is not a PNG or SVG that browsers show
 */
export function iconFromBytes(bytes: Uint8Array, name: string): IconFile {
  const image = inspectImage(bytes);
  if ((image.kind !== 'png' && image.kind !== 'svg') || faultSeverity(image) === 'error') {
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
