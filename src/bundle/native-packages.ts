import { resolve } from 'node:path';
import type { Message } from 'esbuild';
import { message, safe, type SafeText } from '../core/text/message.ts';
import type { Places } from './build-error.ts';
import { addition } from './references/inclusion.ts';
import { packageItems, packageName } from './references/installed.ts';

/** Advice about the errors of a build that are packages whose main module is a native addon: a sentence for each. */
export function nativePackages(errors: readonly Message[], { root, cwd }: Places): SafeText[] {
  return errors.flatMap(({ text, location }) => {
    if (location === null || !text.startsWith('No loader is configured for ".node" files')) return [];
    const { lineText, file } = location;
    // The compiler counts bytes.
    const imported = Buffer.from(lineText)
      .subarray(location.column, location.column + location.length)
      .toString();
    const [, module] = /^["'`]([^./"'`][^"'`]*)["'`]$/.exec(imported) ?? [];
    if (module === undefined) return [];
    const source = resolve(root, file);
    const name = packageName(module);
    const items = packageItems(module, source, { root, cwd }) ?? [];
    const added =
      items.length === 0
        ? ''
        : message`, and ${safe(addition(...items))}; the archive then runs only on the platform of that package`;
    return [
      message`The package “${name}” is a native addon (.node), which cannot be in app.js: declare it with --external ${name}${safe(added)}.`,
    ];
  });
}
