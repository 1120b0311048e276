import { message, safe, type SafeText } from '../../core/text/message.ts';
import { shownPath } from '../shown-path.ts';
import { addonAdvice, neededFor } from './addons.ts';
import { addition, besideSource, type Folders, inclusionOf, SUFFIXES } from './inclusion.ts';
import { importsItems, packageName } from './installed.ts';
import type { Reference } from './reference.ts';

const MOST_SHOWN = 20;

/** The places and the contents of an archive with references. */
export interface ArchiveContents extends Folders {
  /** `app.js` or `ui.js`. */
  output: string;
  /** The paths in the archive. */
  paths: ReadonlySet<string>;
}

/** The references to what the archive does not contain. */
export function missingIn(references: readonly Reference[], archive: ArchiveContents): Reference[] {
  return references.filter((one) => {
    const { kind, target, source } = one;
    if (kind === 'addon') {
      const needed = neededFor(target ?? '', source ?? '', archive);
      return needed === null || !needed.items.every(({ to }) => isIn(archive.paths, to));
    }
    if (target === null) return true;
    if (kind === 'package' && target.startsWith('#')) {
      const items = importsItems(target, source ?? '', archive);
      return items === null || !items.every(({ to }) => isIn(archive.paths, to));
    }
    if (kind === 'package') return !isIn(archive.paths, `node_modules/${packageName(target)}`);
    if (isIn(archive.paths, target)) return false;
    return kind !== 'beside' || (source !== null && besideSource(source, target) !== null);
  });
}

/** A warning for each reference to what the archive does not contain, other than those whose failure the code handles. */
export function warningsAbout(missing: readonly Reference[], archive: ArchiveContents): SafeText[] {
  const needed = missing.filter(({ isOptional }) => !isOptional);
  const all = needed.map((one) => message`${placeOf(one, archive)}: ${safe(faultOf(one, archive))}`);
  const unique = [...new Set(all)];
  if (unique.length <= MOST_SHOWN) return unique;
  return [
    ...unique.slice(0, MOST_SHOWN),
    message`${unique.length - MOST_SHOWN} more references of ${archive.output} to files or packages that the archive does not contain`,
  ];
}

function faultOf({ kind, target, code, source }: Reference, archive: ArchiveContents): SafeText {
  const { output } = archive;
  if (kind === 'module')
    return message`${code} loads a module whose name is only known at run time: the archive contains no packages but those in ${output}, so check that the app runs without it; if it does not, import the module in the app, and give it to the package`;
  if (kind === 'package' && target?.startsWith('#') === true) {
    const items = importsItems(target, source ?? '', archive);
    const advice = items === null ? message`import the module in a way that can be bundled` : addition(...items);
    return message`${code} loads ${target}, a name in the package.json of its package, which the archive does not contain: ${safe(advice)}`;
  }
  if (kind === 'package')
    return message`${code} loads ${target ?? ''}, which ${output} does not contain: it has to be installed where the app runs; if it is not, import it by its literal name, and remove it from "external"`;
  if (kind === 'addon')
    return message`${code} looks for a native addon (.node), and the archive does not contain it: ${safe(addonAdvice(neededFor(target ?? '', source ?? '', archive)))}`;
  if (target === null)
    return message`${code} computes the path of a file beside ${output}: the files of the package are not in the archive, so check that the app runs without them`;
  const file = source === null ? null : besideSource(source, target);
  return message`${code} needs ${target} beside ${output}, and the archive does not contain it: ${safe(inclusionOf(target, file, archive))}`;
}

function isIn(paths: ReadonlySet<string>, target: string): boolean {
  const path = target.replace(/\/$/, '');
  return SUFFIXES.some((suffix) => paths.has(path + suffix)) || [...paths].some((one) => one.startsWith(`${path}/`));
}

function placeOf({ source, line }: Reference, { cwd, output }: ArchiveContents): string {
  if (source === null) return output;
  const [, name] = /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(source) ?? [];
  const path = `${shownPath(source, cwd)}${line === null ? '' : `:${line}`}`;
  return name === undefined ? path : `${path} (package ${name.replaceAll('\\', '/')})`;
}
